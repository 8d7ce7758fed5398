// The tasks of GLUE: which columns of which files hold the sentences and the label.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

// One file's layout; columns count from 0.
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
  std::vector<std::string> labels;  // in the order of their classes; empty: the label is a number
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

// The part that a file holds, by the begin of its name. Throws DataError.
GluePart part_of(const std::string& file);

}  // namespace lpot
