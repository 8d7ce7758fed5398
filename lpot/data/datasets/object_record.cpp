// Objects in images as TensorFlow records with these features:
//   image/encoded, image/object/bbox/{ymin,xmin,ymax,xmax} (relative to the image),
//   image/object/class/label, or class/text with the names of COCO; optional: is_crowd or difficult, and area.
// Segmentation records of VOC have image/segmentation/class/encoded instead; their label is u8 [height, width].
#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/data/datasets/boxes.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/datasets/record.h"

namespace lpot {
namespace {

struct Corners {
  explicit Corners(const Example& example)
      : y_min(example["image/object/bbox/ymin"].floats),
        x_min(example["image/object/bbox/xmin"].floats),
        y_max(example["image/object/bbox/ymax"].floats),
        x_max(example["image/object/bbox/xmax"].floats) {
    if (x_min.size() != y_min.size() || y_max.size() != y_min.size() || x_max.size() != y_min.size())
      throw DataError("parse", fmt::format("found {} ymin, {} xmin, {} ymax and {} xmax; expected equal numbers",
                                           y_min.size(), x_min.size(), y_max.size(), x_max.size()));
  }
  const std::vector<float>&y_min, &x_min, &y_max, &x_max;
};

std::vector<float> class_ids(const Example& example, std::size_t boxes) {
  const Feature& labels = example["image/object/class/label"];
  const Feature& names = example["image/object/class/text"];
  std::vector<float> ids(labels.integers.begin(), labels.integers.end());
  if (ids.empty())
    for (const std::string_view name : names.texts) {
      ids.push_back(static_cast<float>(coco_category(name)));
      if (ids.back() == 0)
        throw DataError("parse",
                        fmt::format("class/text '{}' is not a COCO category and class/label is missing", name));
    }
  if (ids.size() != boxes)
    throw DataError("parse",
                    fmt::format("{} classes (image/object/class/label or text) for {} boxes; expected equal numbers",
                                ids.size(), boxes));
  return ids;
}

// Number of pixels of the image.
float image_area(const Example& example) {
  const auto& height = example["image/height"].integers;
  const auto& width = example["image/width"].integers;
  if (!height.empty() && !width.empty()) return static_cast<float>(height[0]) * static_cast<float>(width[0]);
  const Tensor image = decode_feature(example, "image/encoded");
  return static_cast<float>(image.shape()[0] * image.shape()[1]);
}

std::vector<LabelledBox> boxes_of(const Example& example) {
  const Corners corners(example);
  const std::size_t count = corners.y_min.size();
  const std::vector<float> ids = class_ids(example, count);
  const auto& areas = example["image/object/area"].floats;
  const auto& crowds = example["image/object/is_crowd"].integers;
  const auto& flags = crowds.size() == count ? crowds : example["image/object/difficult"].integers;
  const float pixels = areas.size() == count ? 0 : image_area(example);
  std::vector<LabelledBox> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    LabelledBox box{corners.y_min[i], corners.x_min[i], corners.y_max[i], corners.x_max[i], ids[i]};
    box.crowd_or_difficult = flags.size() == count && flags[i] != 0;
    box.area = areas.size() == count ? areas[i] : (box.y_max - box.y_min) * (box.x_max - box.x_min) * pixels;
    boxes.push_back(box);
  }
  return boxes;
}

// The class of each pixel. These images are grey, so the first channel is the class.
Tensor segmentation_of(const Example& example) {
  const Tensor image = decode_feature(example, "image/segmentation/class/encoded");
  Tensor classes(ElementType::U8, {image.shape()[0], image.shape()[1]});
  for (std::size_t i = 0; i < classes.size(); ++i) classes.data<std::uint8_t>()[i] = image.data<std::uint8_t>()[i * 3];
  return classes;
}

class ObjectRecord : public RecordDataset {
 public:
  using RecordDataset::RecordDataset;

 private:
  Tensor label_of(const Example& example) const override {
    if (!example["image/segmentation/class/encoded"].texts.empty()) return segmentation_of(example);
    return lpot::label_of(boxes_of(example));
  }
};

std::unique_ptr<Dataset> make_object_record(const Component& component) {
  return std::make_unique<ObjectRecord>(component, "val");
}

Entry object_entry(const std::string& name, const std::string& summary) {
  return {
      .name = name,
      .summary = summary,
      .parameters = {
          {.name = "root",
           .kind = ValueKind::Path,
           .required = true,
           .summary = "a record file, a folder of record files (only val* if there are any), or a pattern with *"},
          {.name = "num_cores", .kind = ValueKind::Integer, .summary = "accepted for LPOT configs; has no effect"}}};
}

}  // namespace

DatasetKind voc_record_dataset() {
  return {object_entry("VOCRecord", "Pascal VOC as TensorFlow records, with boxes or segmentation"),
          make_object_record};
}

DatasetKind coco_record_dataset() {
  return {object_entry("COCORecord", "COCO as TensorFlow records, with boxes"), make_object_record};
}

}  // namespace lpot
