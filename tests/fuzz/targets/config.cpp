#include "tests/config/tables.h"
#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void config(Bytes bytes) {
  expect_errors([&] { load_config_text(std::string(text_of(bytes)), "conf.yaml", kTables); });
}

}  // namespace lpot::fuzz
