#include "lpot/runtime/sequence_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lpot/core/error.h"

namespace lpot {
namespace {

constexpr std::size_t kSequencesAtOnce = 16;

// Outputs may be borrowed from the runtime, which overwrites them in the next inference.
Tensor deep_copy(const Tensor& tensor) {
  Tensor copy(tensor.element_type(), tensor.shape());
  if (copy.byte_size() > 0) std::memcpy(copy.bytes(), tensor.bytes(), copy.byte_size());
  return copy;
}

}  // namespace

SequenceStates::SequenceStates(std::vector<StateBinding> bindings, std::vector<std::size_t> starts)
    : bindings_(std::move(bindings)), starts_(std::move(starts)) {}

bool SequenceStates::is_start(std::size_t position) const {
  return std::binary_search(starts_.begin(), starts_.end(), position);
}

bool SequenceStates::is_ready(std::size_t position) const {
  return bindings_.empty() || is_start(position) || states_.contains(position);
}

std::vector<Tensor> SequenceStates::release(std::size_t position) {
  states_.erase(position + 1);  // of an earlier run of the sequence
  if (bindings_.empty() || is_start(position)) return {};
  auto found = states_.extract(position);
  if (found.empty())
    throw DataError("state", fmt::format("sample {} continues a sequence whose sample {} did not run before it; "
                                         "expected all samples of a sequence in order",
                                         position, position - 1));
  return std::move(found.mapped());
}

void SequenceStates::store(std::size_t position, const std::vector<Tensor>& outputs) {
  if (bindings_.empty() || is_start(position + 1)) return;
  std::vector<Tensor> state;
  for (const StateBinding& bound : bindings_) state.push_back(deep_copy(outputs.at(bound.output)));
  states_.insert_or_assign(position + 1, std::move(state));
}

std::vector<std::size_t> interleave_sequences(const std::vector<std::size_t>& positions,
                                              const std::vector<std::size_t>& starts) {
  std::vector<std::vector<std::size_t>> sequences;
  std::map<std::size_t, std::size_t> index_of;  // number of the sequence -> index in `sequences`
  for (const std::size_t position : positions) {
    const auto sequence =
        static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), position) - starts.begin());
    const auto [found, is_new] = index_of.emplace(sequence, sequences.size());
    if (is_new) sequences.emplace_back();
    sequences[found->second].push_back(position);
  }
  std::vector<std::size_t> order;
  for (std::size_t first = 0; first < sequences.size(); first += kSequencesAtOnce) {
    const std::size_t last = std::min(first + kSequencesAtOnce, sequences.size());
    for (std::size_t step = 0, size = order.size() + 1; size != order.size(); ++step) {
      size = order.size();
      for (std::size_t i = first; i < last; ++i)
        if (step < sequences[i].size()) order.push_back(sequences[i][step]);
    }
  }
  return order;
}

}  // namespace lpot
