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

}  // namespace

std::vector<DatasetKind> unavailable_datasets() {
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
      unavailable("style_transfer", "pairs of a content and a style image",
                  {path("content_folder"), path("style_folder"), optional("crop_ratio", ValueKind::Number, "0.1"),
                   optional("resize_shape", ValueKind::IntegerList, "[256, 256]"),
                   optional("image_format", ValueKind::Text, "jpg")}),
  };
}

}  // namespace lpot
