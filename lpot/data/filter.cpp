#include "lpot/data/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>

#include "lpot/core/cpu.h"
#include "lpot/core/error.h"
#include "lpot/core/random.h"
#include "lpot/data/files.h"

namespace lpot {
namespace {

struct Selection {
  std::vector<std::size_t> indices;
  std::vector<std::size_t> sequence_lengths = {};
};

// Some samples of another data set.
class SelectedSamples : public Dataset {
 public:
  SelectedSamples(std::shared_ptr<const Dataset> whole, Selection selection, std::string identity,
                  std::vector<std::string> skipped = {})
      : whole_(std::move(whole)),
        indices_(std::move(selection.indices)),
        sequence_lengths_(std::move(selection.sequence_lengths)),
        identity_(std::move(identity)),
        skipped_(std::move(skipped)) {
    for (const std::string& message : whole_->skipped()) skipped_.push_back(message);
  }

  std::size_t size() const override { return indices_.size(); }
  std::string identity() const override { return identity_; }
  std::vector<std::string> input_names() const override { return whole_->input_names(); }
  bool names_are_hints() const override { return whole_->names_are_hints(); }
  void pad_batch(std::vector<Sample>& samples) const override { whole_->pad_batch(samples); }
  std::vector<std::size_t> lengths() const override { return whole_->lengths(); }
  Sample at(std::size_t index) const override { return whole_->at(in_whole(index)); }
  Tensor label(std::size_t index) const override { return whole_->label(in_whole(index)); }
  std::vector<std::string> skipped() const override { return skipped_; }
  std::vector<std::size_t> sequence_lengths() const override { return sequence_lengths_; }

 private:
  std::size_t in_whole(std::size_t index) const {
    check_index("DataLoader", index, size());
    return indices_[index];
  }

  std::shared_ptr<const Dataset> whole_;
  std::vector<std::size_t> indices_;
  std::vector<std::size_t> sequence_lengths_;
  std::string identity_;
  std::vector<std::string> skipped_;
};

// All samples of some sequences.
Selection samples_of(const std::vector<std::size_t>& sequences, const std::vector<std::size_t>& lengths) {
  std::vector<std::size_t> first{0};
  for (const std::size_t length : lengths) first.push_back(first.back() + length);
  Selection selection;
  for (const std::size_t sequence : sequences) {
    selection.sequence_lengths.push_back(lengths[sequence]);
    for (std::size_t i = first[sequence]; i < first[sequence + 1]; ++i) selection.indices.push_back(i);
  }
  return selection;
}

// The error of each sample; "" for samples that can be read.
std::vector<std::string> read_errors(const Dataset& data) {
  std::vector<std::string> errors(data.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t index = next++; index < errors.size(); index = next++) try {
        data.at(index);
      } catch (const DataError& error) {
        errors[index] = error.what();
      }
  };
  std::vector<std::future<void>> workers;  // of other errors, get() throws the first one
  for (int i = 0; i < thread_count(0); ++i) workers.push_back(std::async(std::launch::async, work));
  for (std::future<void>& worker : workers) worker.get();
  return errors;
}

}  // namespace

std::unique_ptr<Dataset> balance_labels(std::shared_ptr<const Dataset> whole, std::size_t boxes) {
  std::vector<std::size_t> indices;
  for (std::size_t index = 0; index < whole->size(); ++index) {
    const Tensor label = whole->label(index);
    if (label.empty() || label.shape().size() != 2)
      throw DataError("LabelBalance",
                      fmt::format("the label of sample {} is {}; expected boxes. Remove the filter LabelBalance", index,
                                  label.empty() ? "missing" : label.describe()));
    if (label.shape()[0] == boxes) indices.push_back(index);
  }
  if (indices.empty())
    throw DataError("LabelBalance", fmt::format("none of {} samples has {} boxes; change size", whole->size(), boxes));
  std::string identity = fmt::format("{}; LabelBalance(size={})", whole->identity(), boxes);
  return std::make_unique<SelectedSamples>(std::move(whole), Selection{std::move(indices)}, std::move(identity));
}

std::unique_ptr<Dataset> select_subset(std::shared_ptr<const Dataset> whole, double from, double to) {
  // Does not depend on tuning.random_seed, so that parts stay apart if only one of two commands sets it.
  constexpr std::uint64_t kSplitSeed = 1978;
  const std::vector<std::size_t> lengths = whole->sequence_lengths();
  const std::size_t items = lengths.empty() ? whole->size() : lengths.size();
  const auto place = [&](double fraction) {
    return static_cast<std::ptrdiff_t>(std::llround(fraction * static_cast<double>(items)));
  };
  const std::vector<std::size_t> order = shuffled(items, kSplitSeed);
  std::vector<std::size_t> chosen(order.begin() + place(from), order.begin() + place(to));
  if (chosen.empty())
    throw DataError("DataLoader", fmt::format("subset [{}, {}] of {} {} has no sample; use a larger part", from, to,
                                              items, lengths.empty() ? "samples" : "sequences"));
  std::sort(chosen.begin(), chosen.end());
  std::string identity = fmt::format("{}; subset [{}, {}]", whole->identity(), from, to);
  Selection selection = lengths.empty() ? Selection{std::move(chosen)} : samples_of(chosen, lengths);
  return std::make_unique<SelectedSamples>(std::move(whole), std::move(selection), std::move(identity));
}

std::unique_ptr<Dataset> select_readable(std::shared_ptr<const Dataset> whole) {
  const std::vector<std::string> errors = read_errors(*whole);
  std::vector<std::size_t> indices;
  std::vector<std::string> skipped;
  for (std::size_t index = 0; index < errors.size(); ++index) {
    if (errors[index].empty())
      indices.push_back(index);
    else
      skipped.push_back(errors[index]);
  }
  if (indices.empty())
    throw DataError("DataLoader", fmt::format("none of {} samples can be read; the first error is: {}", errors.size(),
                                              errors.empty() ? "no samples" : errors.front()));
  std::string identity = whole->identity();
  if (!skipped.empty()) identity += fmt::format("; {} unreadable samples skipped", skipped.size());
  return std::make_unique<SelectedSamples>(std::move(whole), Selection{std::move(indices)}, std::move(identity),
                                           std::move(skipped));
}

}  // namespace lpot
