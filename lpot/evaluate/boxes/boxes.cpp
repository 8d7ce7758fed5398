// Boxes finds the objects in the outputs of a detector: reads the head, applies thresholds and NMS, and returns boxes,
// scores, classes and the number of objects of each image, as the metrics of detections read them.
//
// Boxes are relative to the network's input. The transform LetterBox moves the labels into that frame too, so the
// padding needs no correction: the intersection over union of two boxes is the same in both frames.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/data/datasets/npy_file.h"
#include "lpot/evaluate/boxes/decode.h"
#include "lpot/evaluate/boxes/nms.h"
#include "lpot/evaluate/postprocess_kinds.h"

namespace lpot {
namespace {

enum class Coordinates { Auto, Pixels, Relative };

struct BoxesOptions {
  std::optional<BoxHead> head = {};  // empty: detected
  DecodeOptions decode = {};
  NmsOptions nms = {};
  Coordinates coordinates = Coordinates::Auto;
  std::vector<std::int64_t> class_ids = {};
};

// Centers in pixels are far above 1 on average; relative ones are not.
bool are_pixels(const DecodedBoxes& decoded) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& image : decoded.images)
    for (const Found& found : image) {
      sum += std::fabs(found.box.y_min + found.box.y_max) / 2 + std::fabs(found.box.x_min + found.box.x_max) / 2;
      count += 2;
    }
  return count > 0 && sum / static_cast<double>(count) > 2;
}

void scale_and_clip(Found& found, const FrameSize& size) {
  Box& box = found.box;
  box = {std::clamp(box.y_min / size.height, 0.0, 1.0), std::clamp(box.x_min / size.width, 0.0, 1.0),
         std::clamp(box.y_max / size.height, 0.0, 1.0), std::clamp(box.x_max / size.width, 0.0, 1.0)};
}

std::vector<Tensor> to_tensors(const std::vector<std::vector<Found>>& images) {
  std::size_t most = 1;
  for (const auto& image : images) most = std::max(most, image.size());
  Tensor boxes(ElementType::F32, {images.size(), most, 4}), scores(ElementType::F32, {images.size(), most});
  Tensor classes(ElementType::I64, {images.size(), most}), numbers(ElementType::I64, {images.size()});
  for (std::size_t i = 0; i < images.size(); ++i) {
    numbers.data<std::int64_t>()[i] = static_cast<std::int64_t>(images[i].size());
    for (std::size_t k = 0; k < images[i].size(); ++k) {
      const auto& [box, object_class, score] = images[i][k];
      const std::size_t at = i * most + k;
      float* sides = boxes.data<float>() + at * 4;
      sides[0] = static_cast<float>(box.y_min);
      sides[1] = static_cast<float>(box.x_min);
      sides[2] = static_cast<float>(box.y_max);
      sides[3] = static_cast<float>(box.x_max);
      scores.data<float>()[at] = static_cast<float>(score);
      classes.data<std::int64_t>()[at] = object_class;
    }
  }
  return {boxes, scores, classes, numbers};
}

class Boxes : public Postprocess {
 public:
  explicit Boxes(BoxesOptions options) : options_(std::move(options)) {}

  BatchResult apply(BatchResult batch) const override {
    DecodeOptions options = options_.decode;
    if (!options.image) options.image = image_size(batch.input_shapes);
    options.head = head_of(batch, options.image);
    DecodedBoxes decoded = decode(batch.outputs, batch.labels.size(), options);
    const FrameSize size = unit_of(decoded, options.image);
    for (auto& image : decoded.images) {
      image = decoded.needs_nms ? suppress(std::move(image), options_.nms)
                                : best_boxes(std::move(image), options_.nms.max_detections);
      for (Found& found : image) {
        scale_and_clip(found, size);
        found.object_class = class_id(found.object_class);
      }
    }
    batch.outputs = to_tensors(decoded.images);
    return batch;
  }

  std::string description(const BatchResult& batch) const override {
    const auto image = options_.decode.image ? options_.decode.image : image_size(batch.input_shapes);
    const BoxHead head = head_of(batch, image);
    return fmt::format("Boxes reads the outputs {} as the head {}{}", describe(batch.outputs), describe(head),
                       options_.head ? "" : " (detected by the shapes; set head to change it)");
  }

 private:
  BoxHead head_of(const BatchResult& batch, const std::optional<FrameSize>& image) const {
    if (options_.head) return *options_.head;
    if (const auto head = find_head(batch.outputs, batch.labels.size(), image)) return *head;
    throw DataError("Boxes",
                    fmt::format("the outputs for {} samples are {}; expected the outputs of a detector. Set head, or "
                                "select the outputs with model.outputs",
                                batch.labels.size(), describe(batch.outputs)));
  }

  // What coordinates are divided by.
  FrameSize unit_of(const DecodedBoxes& decoded, const std::optional<FrameSize>& image) const {
    const bool pixels =
        options_.coordinates == Coordinates::Auto ? are_pixels(decoded) : options_.coordinates == Coordinates::Pixels;
    if (!pixels) return {1, 1};
    if (!image)
      throw DataError("Boxes",
                      "the boxes are in pixels, but no input of the model is an image [count,channels,height,width] or "
                      "[count,height,width,channels]; set image_size to [height,width], or coordinates to relative");
    return *image;
  }

  std::int64_t class_id(std::int64_t object_class) const {
    if (options_.class_ids.empty()) return object_class;
    if (object_class < 0 || object_class >= static_cast<std::int64_t>(options_.class_ids.size()))
      throw DataError("Boxes", fmt::format("found class {}; expected 0..{}, because class_ids has {} numbers. Give one "
                                           "number for each class of the model",
                                           object_class, options_.class_ids.size() - 1, options_.class_ids.size()));
    return options_.class_ids[static_cast<std::size_t>(object_class)];
  }

  BoxesOptions options_;
};

// The position of a parameter's value in the list of allowed values.
template <typename Choice>
Choice read_choice(const Component& component, const std::string& name, const std::vector<std::string>& choices) {
  const std::string& value = component.parameters.text(name);
  const auto found = std::find(choices.begin(), choices.end(), value);
  if (found == choices.end())
    throw config_error(component, fmt::format("{}: expected {}, got '{}'", name, fmt::join(choices, ", "), value));
  return static_cast<Choice>(found - choices.begin());
}

const std::vector<std::string> kFormats{"auto", "xywh", "xyxy", "yxyx"};
const std::vector<std::string> kCoordinates{"auto", "pixels", "relative"};
const std::vector<std::string> kActivations{"none", "sigmoid", "softmax"};
const std::vector<std::string> kBackgrounds{"auto", "first", "last", "none"};

double read_share(const Component& component, const std::string& name) {
  const double value = component.parameters.number(name);
  if (!(value >= 0 && value <= 1)) throw config_error(component, fmt::format("{}: expected 0..1, got {}", name, value));
  return value;
}

std::size_t read_count(const Component& component, const std::string& name, std::int64_t least) {
  const std::int64_t value = component.parameters.integer(name);
  if (value < least) throw config_error(component, fmt::format("{}: expected at least {}, got {}", name, least, value));
  return static_cast<std::size_t>(value);
}

std::optional<FrameSize> read_image_size(const Component& component) {
  if (!component.parameters.has("image_size")) return std::nullopt;
  const std::vector<std::int64_t>& sides = component.parameters.integers("image_size");
  if (sides.size() != 2 || sides[0] < 1 || sides[1] < 1)
    throw config_error(component, "image_size: expected [height, width] in pixels");
  return FrameSize{static_cast<double>(sides[0]), static_cast<double>(sides[1])};
}

Priors read_priors(const Component& component) {
  Priors priors;
  const std::vector<double>& variances = component.parameters.numbers("variances");
  if (variances.size() != 4) throw config_error(component, "variances: expected four numbers");
  std::copy_n(variances.begin(), 4, priors.variances.begin());
  if (!component.parameters.has("priors")) return priors;
  const NpyFile file(component.parameters.text("priors"));
  if (file.shape().size() != 2 || file.shape()[1] != 4)
    throw config_error(component, fmt::format("priors: found the shape {}; expected [anchors,4] of center x, center y, "
                                              "width, height",
                                              to_string(file.shape())));
  for (std::size_t i = 0; i < file.rows(); ++i) {
    const Tensor row = file.row(i);
    for (std::size_t k = 0; k < 4; ++k) priors.boxes.push_back(row.value_at(k));
  }
  return priors;
}

std::shared_ptr<const Postprocess> make_boxes(const Component& component) {
  BoxesOptions options;
  const auto head = read_choice<std::size_t>(component, "head", head_names());
  if (head > 0) options.head = parse_head(head_names()[head]);
  options.decode.format = read_choice<BoxFormat>(component, "box_format", kFormats);
  options.decode.activation = read_choice<Activation>(component, "activation", kActivations);
  options.decode.background = read_choice<Background>(component, "background", kBackgrounds);
  options.decode.score_threshold = read_share(component, "score_threshold");
  if (component.parameters.has("classes")) options.decode.classes = read_count(component, "classes", 1);
  options.decode.ignored_columns = read_count(component, "ignored_columns", 0);
  options.decode.priors = read_priors(component);
  options.decode.image = read_image_size(component);
  options.nms.iou_threshold = read_share(component, "iou_threshold");
  options.nms.max_detections = read_count(component, "max_detections", 1);
  options.coordinates = read_choice<Coordinates>(component, "coordinates", kCoordinates);
  if (component.parameters.has("class_ids")) options.class_ids = component.parameters.integers("class_ids");
  return std::make_shared<Boxes>(std::move(options));
}

}  // namespace

PostprocessKind boxes() {
  const auto choice = [](const char* name, const char* value, const char* summary, std::vector<std::string> choices) {
    return Parameter{.name = name, .default_value = value, .summary = summary, .choices = std::move(choices)};
  };
  return {
      {.name = "Boxes",
       .summary =
           "boxes, scores and classes from the outputs of a detector: reads the head, applies thresholds and NMS",
       .parameters =
           {choice("head", "auto", "how the outputs store boxes; auto: detected by their shapes", head_names()),
            {"score_threshold", ValueKind::Number, "0.001", false, "boxes with lower scores are dropped"},
            {"iou_threshold", ValueKind::Number, "0.7", false,
             "NMS drops boxes that overlap a better one of their class by more"},
            {"max_detections", ValueKind::Integer, "100", false, "maximum number of boxes per image"},
            {"classes", ValueKind::Integer, "", false,
             "number of classes without background; other outputs are an error"},
            {"ignored_columns", ValueKind::Integer, "0", false,
             "columns after the scores, such as coefficients of masks or key points"},
            choice("box_format", "auto", "xywh: center and size; xyxy, yxyx: corners; auto: that of the head",
                   kFormats),
            choice("coordinates", "auto", "pixels of the network's input, or relative (0..1); auto: by their values",
                   kCoordinates),
            {"image_size", ValueKind::IntegerList, "", false,
             "[height, width] of the network's input, if the model's inputs do not show it"},
            choice("activation", "none", "applied to the scores, if they are logits; softmax only for ssd",
                   kActivations),
            choice(
                "background", "auto",
                "the class of ssd that is no object; auto: if the scores of an anchor sum to 1, the first or the last, "
                "whichever has higher scores",
                kBackgrounds),
            {"priors", ValueKind::Path, "", false,
             ".npy file [anchors,4] of center x, center y, width, height (0..1), for ssd boxes that are not decoded"},
            {"variances", ValueKind::NumberList, "[0.1, 0.1, 0.2, 0.2]", false, "factors of the offsets from priors"},
            {"class_ids", ValueKind::IntegerList, "", false,
             "the numbers that the labels have for the classes 0, 1, ... of the model; unset: the same numbers"}}},
      make_boxes};
}

}  // namespace lpot
