// Matches the .npy files of a folder to the inputs of a model.
//
// A file belongs to the input whose name its own name contains (`image_train.npy`) if the shape fits too, and of
// several such inputs to the one with the longest name. Otherwise it belongs to the input whose shape and type fit, if
// no other file does. Files named labels, targets or y contain labels. Files with a word such as train or calib in
// their names are calibration data. Files with a word such as test, val, dev or eval are evaluation data.
#pragma once
#include <string>
#include <vector>

#include "lpot/data/folder_content.h"
#include "lpot/model/model.h"

namespace lpot {

struct ArrayData {
  std::string evaluation;        // the data set, as in a configuration
  std::string calibration = {};  // "": there is no separate data
  bool has_labels = false;       // of the evaluation data
};

// Throws DataError if an input has no file, or several that only their shape shows; the message lists files and inputs.
ArrayData match_arrays(const std::vector<NpyArray>&, const std::vector<Port>&);

}  // namespace lpot
