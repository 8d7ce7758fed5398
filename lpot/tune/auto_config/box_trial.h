// Tries to read the outputs of a detector with the postprocess Boxes.
//
//   const SampleOutputs samples = {};  // the outputs of the fp32 model for some samples
//   const BoxTrial trial = try_boxes(samples);
//   if (trial.error.empty()) std::cout << "Boxes: " << trial.parameters << "\n";  // Boxes: {ignored_columns: 32}
//
// The values show some parameters: columns after the scores that are no scores (coefficients of masks, key points), and
// for the boxes and logits of DETR the activation and the format of the boxes.
#pragma once
#include <string>

#include "lpot/tune/auto_config/output_role.h"
#include "lpot/tune/auto_config/sample_outputs.h"

namespace lpot {

struct BoxTrial {
  std::string parameters = "{}";
  std::string error = {};  // empty: Boxes can read the outputs
};

BoxTrial try_boxes(const SampleOutputs&);

// The role with the parameters of Boxes. If Boxes cannot read the outputs, they are plain values, with a warning.
struct CheckedRole {
  OutputRole role;
  std::string warning = {};  // empty: none
};
CheckedRole check_boxes(OutputRole, const SampleOutputs&);

}  // namespace lpot
