// ImageNet as TensorFlow records: image/encoded and image/class/label. Labels are not changed; TensorFlow's records use
// 1..1000. For models without a background class, use the postprocessing transform LabelShift.
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/datasets/record.h"

namespace lpot {
namespace {

class ImageRecord : public RecordDataset {
 public:
  using RecordDataset::RecordDataset;

 private:
  Tensor label_of(const Example& example) const override {
    const Feature& label = example["image/class/label"];
    return label.integers.empty() ? Tensor() : Tensor::scalar<std::int64_t>(label.integers[0]);
  }
};

std::unique_ptr<Dataset> make_image_record(const Component& component) {
  return std::make_unique<ImageRecord>(component, "");
}

Entry record_entry(const std::string& name, const std::string& summary) {
  return {.name = name,
          .summary = summary,
          .parameters = {{.name = "root",
                          .kind = ValueKind::Path,
                          .required = true,
                          .summary = "a record file, a folder of *-of-* or *.tfrecord files, or a pattern with *"}}};
}

}  // namespace

DatasetKind image_record_dataset() {
  return {record_entry("ImageRecord", "ImageNet as TensorFlow records (image/encoded, image/class/label)"),
          make_image_record};
}

DatasetKind tf_record_dataset() {
  return {record_entry("TFRecordDataset", "TensorFlow records with image/encoded and image/class/label"),
          make_image_record};
}

}  // namespace lpot
