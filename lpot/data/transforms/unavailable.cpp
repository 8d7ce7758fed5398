#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

TransformKind unavailable(const std::string& name, const std::string& summary, std::vector<Parameter> parameters = {}) {
  return {{.name = name,
           .summary = summary,
           .parameters = std::move(parameters),
           .refused = "not available yet in this version"},
          nullptr};
}

Parameter size() { return {.name = "size", .kind = ValueKind::IntegerList, .required = true}; }

Parameter required(const std::string& name, ValueKind kind) { return {.name = name, .kind = kind, .required = true}; }

Parameter optional(const std::string& name, ValueKind kind, const std::string& default_value = "") {
  return {.name = name, .kind = kind, .default_value = default_value};
}

Parameter interpolation() { return optional("interpolation", ValueKind::Text, "bilinear"); }

std::vector<TransformKind> crops() {
  return {
      unavailable("RandomCrop", "cuts out a random part", {size()}),
      unavailable("RandomResizedCrop", "cuts out a random part and resizes it",
                  {size(), optional("scale", ValueKind::NumberList, "[0.08, 1.0]"),
                   optional("ratio", ValueKind::NumberList, "[0.75, 1.3333333333333333]"), interpolation()}),
      unavailable(
          "CropResize", "cuts out a part and resizes it",
          {required("x", ValueKind::Integer), required("y", ValueKind::Integer), required("width", ValueKind::Integer),
           required("height", ValueKind::Integer), size(), interpolation()}),
      unavailable("PaddedCenterCrop", "cuts out the middle with a margin",
                  {size(), optional("crop_padding", ValueKind::Integer, "0")}),
      unavailable("CropToBoundingBox", "cuts out a part",
                  {required("offset_height", ValueKind::Integer), required("offset_width", ValueKind::Integer),
                   required("target_height", ValueKind::Integer), required("target_width", ValueKind::Integer)}),
      unavailable("RandomHorizontalFlip", "mirrors at random"),
      unavailable("RandomVerticalFlip", "turns upside down at random"),
  };
}

std::vector<Parameter> imagenet(std::vector<Parameter> more) {
  std::vector<Parameter> parameters{required("height", ValueKind::Integer), required("width", ValueKind::Integer)};
  for (Parameter& parameter : more) parameters.push_back(std::move(parameter));
  parameters.push_back(optional("mean_value", ValueKind::NumberList, "[0.0, 0.0, 0.0]"));
  parameters.push_back(optional("scale", ValueKind::Number, "1.0"));
  return parameters;
}

std::vector<TransformKind> resizes() {
  return {
      unavailable("ResizeWithRatio", "resizes and keeps the proportions",
                  {optional("min_dim", ValueKind::Integer, "800"), optional("max_dim", ValueKind::Integer, "1365"),
                   optional("padding", ValueKind::Flag, "false"), optional("constant_value", ValueKind::Integer, "0")}),
      unavailable("ResizeWithAspectRatio", "resizes, keeps the proportions and cuts out the middle",
                  {required("height", ValueKind::Integer), required("width", ValueKind::Integer),
                   optional("scale", ValueKind::Number, "87.5"), optional("inter_pol", ValueKind::Text)}),
      unavailable("ResizeCropImagenet", "resizes, cuts out the middle and subtracts a mean",
                  imagenet({optional("random_crop", ValueKind::Flag, "false"),
                            optional("resize_side", ValueKind::Integer, "256"),
                            optional("random_flip_left_right", ValueKind::Flag, "false")})),
      unavailable("BilinearImagenet", "cuts out the middle, resizes and subtracts a mean",
                  imagenet({optional("central_fraction", ValueKind::Number, "0.875")})),
  };
}

std::vector<TransformKind> conversions() {
  return {
      unavailable("AlignImageChannel", "makes the number of channels fit", {optional("dim", ValueKind::Integer, "3")}),
      unavailable("ToArray", "makes an array of an image"),
      unavailable("ToNDArray", "makes an array of an image"),
      unavailable("ToPILImage", "makes an image of an array"),
      unavailable("QuantizedInput", "quantizes the input",
                  {required("dtype", ValueKind::Text), optional("scale", ValueKind::Number)}),
      unavailable("ParseDecodeImagenet", "decodes a TensorFlow record of ImageNet"),
  };
}

}  // namespace

std::vector<TransformKind> unavailable_transforms() {
  std::vector<TransformKind> all = crops();
  for (TransformKind& kind : resizes()) all.push_back(std::move(kind));
  for (TransformKind& kind : conversions()) all.push_back(std::move(kind));
  return all;
}

}  // namespace lpot
