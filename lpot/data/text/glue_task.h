// The tasks of GLUE, with the columns of the sentences and of the label in each file.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

// The layout of one file; columns are counted from 0.
struct GlueColumns {
  std::size_t count = 0;
  std::size_t first = 0;
  std::optional<std::size_t> second = {};
  std::optional<std::size_t> label = {};
  bool has_header = true;
};

enum class GluePart { Train, Dev, Test };

struct GlueTask {
  std::string name;
  std::vector<std::string> labels;  // the label of each class; empty: the label is a number
  GlueColumns train, dev, test;
  std::string suffix = {};  // of dev and test files: "_matched"

  const GlueColumns& columns(GluePart part) const {
    return part == GluePart::Train ? train : part == GluePart::Dev ? dev : test;
  }
};

const std::vector<GlueTask>& glue_tasks();
std::vector<std::string> glue_task_names();
const GlueTask& glue_task(std::string_view name);  // throws ConfigError

// "dev.tsv", "dev_matched.tsv".
std::string file_name(const GlueTask&, GluePart);

// The part of the data in a file, by the start of its name. Throws DataError.
GluePart part_of(const std::string& file);

// The task whose columns and labels a train or dev file has; nothing if there is none. Where several tasks have the
// same format, the first one.
std::optional<std::string> detect_glue_task(const std::filesystem::path& file);

}  // namespace lpot
