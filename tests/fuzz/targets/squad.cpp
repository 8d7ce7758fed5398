#include <fmt/format.h>

#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void squad(Bytes bytes) {
  read_dataset(fmt::format("bert: {{root: {}, label_file: {}, max_seq_length: 24, max_query_length: 6, doc_stride: 5}}",
                           kVocabulary, write("dev-v1.1.json", bytes).string()));
}

}  // namespace lpot::fuzz
