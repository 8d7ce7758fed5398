#include <fmt/format.h>

#include "lpot/data/text/glue_task.h"
#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void tsv(Bytes bytes) {
  const std::vector<std::string> tasks = glue_task_names();
  const std::string task = tasks[choose(bytes, tasks.size())];
  const std::string part = std::vector<std::string>{"dev", "train", "test"}[choose(bytes, 3)];
  const auto file = write(part + ".tsv", bytes);
  read_dataset(fmt::format("GLUE: {{data_dir: {}, model_name_or_path: {}, task: {}, max_seq_length: 16}}",
                           file.string(), kVocabulary, task));
}

}  // namespace lpot::fuzz
