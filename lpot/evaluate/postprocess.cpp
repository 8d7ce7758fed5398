#include "lpot/evaluate/postprocess.h"

#include <fmt/format.h>

#include "lpot/core/error.h"

namespace lpot {

const Table& postprocesses() {
  static const std::vector<Parameter> kSquad{{"label_file", ValueKind::Path, "", true},
                                             {"vocab_file", ValueKind::Path, "", true}};
  static const Table kTable{
      {"LabelShift",
       "subtracts a number from every label",
       {{"shift", ValueKind::Integer, "", true, "what is subtracted"}},
       "shift"},
      {"SquadV1", "answers of SQuAD from start and end logits", kSquad, "", "not available yet in this version"},
  };
  return kTable;
}

std::vector<Tensor> postprocess_labels(std::vector<Tensor> labels, const std::vector<Component>& chain) {
  for (const Component& component : chain) {
    if (component.name != "LabelShift")
      throw ConfigError("postprocess", fmt::format("'{}' is not available", component.name));
    for (Tensor& label : labels) {
      if (label.empty()) throw DataError("LabelShift", "the data set has no labels");
      const Tensor source = label.converted(ElementType::I64);
      label = Tensor(ElementType::I64, source.shape());
      for (std::size_t i = 0; i < label.size(); ++i)
        label.data<std::int64_t>()[i] = source.data<std::int64_t>()[i] - component.parameters.integer("shift");
    }
  }
  return labels;
}

}  // namespace lpot
