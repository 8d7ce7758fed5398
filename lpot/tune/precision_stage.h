// Stage "precision": whether everything that is not int8 runs in 16 bits or in f32.
#pragma once
#include "lpot/tune/stages.h"

namespace lpot {

// Times the model with and without int8 in the precision of the task. Chooses f32 if int8 with the rest in f32 is
// clearly faster and the configuration does not name a precision. From the store, or measured now.
PrecisionChoice choose_precision(const TuningContext&, CandidateBuilder&);

}  // namespace lpot
