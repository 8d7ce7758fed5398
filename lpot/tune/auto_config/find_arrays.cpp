#include <fmt/format.h>

#include "lpot/tune/auto_config/array_match.h"
#include "lpot/tune/auto_config/found_data.h"
#include "lpot/tune/auto_config/preprocessing_search.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

constexpr std::size_t kArraySamples = 128;  // on which the fp32 model runs

// Whether top-1 with these labels means something; adds a warning if not.
bool labels_fit(const FoundData& found, std::vector<std::string>& warnings) {
  const SampleOutputs& outputs = found.outputs;
  if (outputs.labels.empty()) {
    warnings.push_back("the labels are not one integer per sample; they are not used, and int8 is compared with fp32");
    return false;
  }
  if (found.role.kind != OutputRoleKind::Classes) {
    warnings.push_back("the labels are not used, because the outputs of the model are not class scores");
    return false;
  }
  for (const std::int64_t label : outputs.labels)
    if (label < 0 || static_cast<std::size_t>(label) >= outputs.classes()) {
      warnings.push_back(fmt::format("a label is {}, but the model has {} classes; the labels are not used", label,
                                     outputs.classes()));
      return false;
    }
  const PreprocessingFit fit = fit_of("arrays", outputs.rows, outputs.labels);
  if (fits_nothing(fit, outputs.labels, outputs.classes()))
    warnings.push_back(
        fmt::format("the accuracy of the fp32 model is that of chance ({:.3f} on {} samples; chance is "
                    "{:.3f}). Check the preprocessing of the arrays and the labels",
                    *fit.accuracy, outputs.samples, chance_accuracy(outputs.labels, outputs.classes())));
  return true;
}

}  // namespace

FoundData find_arrays(const Model& model, const FolderContent& content, const Observer& observer) {
  const ArrayData data = match_arrays(content.arrays, model_inputs(model));
  FoundData found;
  found.evaluation = {data.evaluation};
  if (!data.calibration.empty()) found.calibration = DataText{data.calibration};
  found.samples = make_dataset(parse_component(data.evaluation, component_tables().datasets))->size();
  found.outputs = SampleRunner(model, observer).run(found.evaluation, kArraySamples);
  found.role = find_output_role(output_evidence(model), found.outputs);
  found.findings.push_back(fmt::format("arrays         {}", data.evaluation));
  if (data.has_labels) found.uses_labels = labels_fit(found, found.warnings);
  return found;
}

}  // namespace lpot
