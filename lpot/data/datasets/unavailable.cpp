#include "lpot/data/datasets/kinds.h"

namespace lpot {
namespace {

DatasetKind unavailable(const std::string& name, const std::string& summary, std::vector<Parameter> parameters) {
  return {{.name = name,
           .summary = summary,
           .parameters = std::move(parameters),
           .refused = "not available yet in this version; save the samples with numpy.save and use the data set npy"},
          nullptr};
}

Parameter path(const std::string& name) { return {.name = name, .kind = ValueKind::Path, .required = true}; }

Parameter optional(const std::string& name, ValueKind kind, const std::string& default_value = "") {
  return {.name = name, .kind = kind, .default_value = default_value};
}

std::vector<DatasetKind> image_datasets() {
  return {
      unavailable("CIFAR100", "photographs of a hundred classes, 32x32 RGB",
                  {path("root"), optional("train", ValueKind::Flag, "false")}),
      unavailable("ImageFolder", "images in one folder per class", {path("root")}),
      unavailable("ImagenetRaw", "images listed in a text file with their labels",
                  {path("data_path"), path("image_list")}),
      unavailable("TFRecordDataset", "TensorFlow records", {path("root")}),
      unavailable("ImageRecord", "ImageNet as TensorFlow records", {path("root")}),
      unavailable("VOCRecord", "Pascal VOC as TensorFlow records", {path("root")}),
      unavailable("COCORecord", "COCO as TensorFlow records", {path("root")}),
      unavailable("COCORaw", "COCO images and annotations",
                  {path("root"), optional("img_dir", ValueKind::Text, "val2017"),
                   optional("anno_dir", ValueKind::Text, "annotations/instances_val2017.json")}),
      unavailable("COCONpy", "COCO as NumPy arrays",
                  {path("root"), optional("npy_dir", ValueKind::Text, "val2017"),
                   optional("anno_dir", ValueKind::Text, "annotations/instances_val2017.json")}),
      unavailable("style_transfer", "pairs of a content and a style image",
                  {path("content_folder"), path("style_folder"), optional("crop_ratio", ValueKind::Number, "0.1"),
                   optional("resize_shape", ValueKind::IntegerList, "[256, 256]"),
                   optional("image_format", ValueKind::Text, "jpg")}),
  };
}

std::vector<DatasetKind> other_datasets() {
  return {
      unavailable("bert", "questions and passages for BERT",
                  {path("root"), path("label_file"), optional("task", ValueKind::Text, "squad"),
                   optional("model_type", ValueKind::Text, "bert")}),
      unavailable(
          "GLUE", "sentences of a GLUE task",
          {path("data_dir"), path("model_name_or_path"), optional("task", ValueKind::Text, "mrpc"),
           optional("model_type", ValueKind::Text, "bert"), optional("max_seq_length", ValueKind::Integer, "128"),
           optional("do_lower_case", ValueKind::Flag, "true"), optional("dynamic_length", ValueKind::Flag, "false"),
           optional("evaluate", ValueKind::Flag, "true")}),
      unavailable("dummy_v2", "random values of given shapes",
                  {{.name = "input_shape", .kind = ValueKind::TextList, .required = true},
                   optional("label_shape", ValueKind::TextList),
                   optional("low", ValueKind::NumberList, "-128"),
                   optional("high", ValueKind::NumberList, "127"),
                   optional("dtype", ValueKind::TextList, "float32")}),
  };
}

}  // namespace

std::vector<DatasetKind> unavailable_datasets() {
  std::vector<DatasetKind> all = image_datasets();
  for (DatasetKind& kind : other_datasets()) all.push_back(std::move(kind));
  return all;
}

}  // namespace lpot
