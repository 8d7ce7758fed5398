#include "lpot/calibrate/statistics.h"
#include "lpot/evaluate/notes.h"
#include "lpot/plan/kernel_variants.h"
#include "lpot/plan/trial.h"
#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void stored_values(Bytes bytes) {
  const std::size_t kind = choose(bytes, 6);
  const std::string text(text_of(bytes));
  expect_errors([&] {
    if (kind == 0) plan_hash(plan_from_json(text));
    if (kind == 1) to_json(measurement_from_json(text));
    if (kind == 2) to_json(probe_from_json(text));
    if (kind == 3) kernel_variants_from_json(text);
    if (kind == 4) to_bytes(notes_from_bytes(text));
    if (kind == 5)
      for (const auto& [name, tensor] : statistics_from_bytes(text)) tensor.histogram().total();
  });
}

}  // namespace lpot::fuzz
