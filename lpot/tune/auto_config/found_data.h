// The data sets for a model, one function for each kind of data that a folder may contain.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/folder_content.h"
#include "lpot/tune/auto_config/auto_config.h"
#include "lpot/tune/auto_config/image_preprocessing.h"
#include "lpot/tune/auto_config/output_role.h"
#include "lpot/tune/auto_config/preprocessing_search.h"
#include "lpot/tune/auto_config/sample_outputs.h"

namespace lpot {

struct FoundData {
  DataText evaluation;
  std::optional<DataText> calibration = {};  // unset: a part of the evaluation data
  std::size_t samples = 0;                   // of the evaluation data
  SampleOutputs outputs = {};                // of the fp32 model for some samples
  OutputRole role = {};                      // of the first output
  bool uses_labels = false;                  // the labels fit the model
  std::int64_t label_offset = 0;             // class of the model less label
  std::string metric = {};                   // of a task with its own metric; "": depends on the outputs
  std::vector<std::string> findings = {};
  std::vector<std::string> warnings = {};
};

// Why the labels are not used: they are not classes of the model, or the accuracy with all that was `tried` is that of
// chance.
std::string unfit_labels(const FolderContent&, const LabelHypotheses&, std::size_t classes, std::string_view tried);

// Each throws DataError if the data do not fit the inputs of the model.
FoundData find_images(const Model&, const FolderContent&, const AutoConfigOptions&, const Observer&);
FoundData find_sounds(const Model&, const FolderContent&, const AutoConfigOptions&, const Observer&);
FoundData find_arrays(const Model&, const FolderContent&, const Observer&);
FoundData find_sentences(const Model&, const FolderContent&, const AutoConfigOptions&, const Observer&);

}  // namespace lpot
