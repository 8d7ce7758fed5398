// What an evaluator stores between the runs of a study, as bytes.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/evaluate/verdict.h"

namespace lpot {

struct EvaluationNotes {
  SampleScores baseline, first;
  std::optional<std::vector<std::vector<Tensor>>> outputs;  // of the baseline, by sample
  std::size_t batch_size = 0;
  int streams = 0;
};

std::string to_bytes(const EvaluationNotes&);
EvaluationNotes notes_from_bytes(std::string_view);  // throws StoreError

}  // namespace lpot
