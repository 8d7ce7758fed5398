// LabelShift subtracts a number from every label, for labels that start at 1 or include a background class.
#include "lpot/core/error.h"
#include "lpot/evaluate/postprocess_kinds.h"

namespace lpot {
namespace {

class LabelShift : public Postprocess {
 public:
  explicit LabelShift(std::int64_t shift) : shift_(shift) {}

  BatchResult apply(BatchResult batch) const override {
    for (Tensor& label : batch.labels) {
      if (label.empty()) throw DataError("LabelShift", "the data set has no labels");
      const Tensor source = label.converted(ElementType::I64);
      label = Tensor(ElementType::I64, source.shape());
      for (std::size_t i = 0; i < label.size(); ++i)
        label.data<std::int64_t>()[i] = source.data<std::int64_t>()[i] - shift_;
    }
    return batch;
  }

 private:
  std::int64_t shift_;
};

}  // namespace

PostprocessKind label_shift() {
  return {{.name = "LabelShift",
           .summary = "subtracts a number from every label",
           .parameters = {{"shift", ValueKind::Integer, "", true, "the number to subtract"}},
           .shorthand = "shift"},
          [](const Component& component) -> std::shared_ptr<const Postprocess> {
            return std::make_shared<LabelShift>(component.parameters.integer("shift"));
          }};
}

}  // namespace lpot
