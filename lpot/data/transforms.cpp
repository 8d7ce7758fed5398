#include "lpot/data/transform.h"
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

const std::vector<TransformKind>& kinds() {
  static const std::vector<TransformKind> all = [] {
    std::vector<TransformKind> list{resize_transform(),    center_crop_transform(), to_tensor_transform(),
                                    normalize_transform(), rescale_transform(),     transpose_transform(),
                                    cast_transform()};
    for (TransformKind& kind : unavailable_transforms()) list.push_back(std::move(kind));
    return list;
  }();
  return all;
}

}  // namespace

const Table& transforms() {
  static const Table table = table_of(kinds());
  return table;
}

Transform make_transform(const Component& component) { return make_component(kinds(), component, "transform"); }

Transform on_first_input(const Component& component, std::function<Tensor(const Tensor&)> change) {
  return {component.name,
          [name = component.name, change = std::move(change)](Sample sample, std::uint64_t) {
            if (sample.inputs.empty()) throw DataError(name, "the sample has no input");
            sample.inputs[0] = change(sample.inputs[0]);
            return sample;
          },
          fmt::format("{}({})", component.name, component.parameters.describe())};
}

}  // namespace lpot
