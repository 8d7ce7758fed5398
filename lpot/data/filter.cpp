#include "lpot/data/filter.h"

#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/data/files.h"

namespace lpot {
namespace {

// A subset of the samples of another data set.
class Subset : public Dataset {
 public:
  Subset(std::shared_ptr<const Dataset> whole, std::vector<std::size_t> indices, std::string identity)
      : whole_(std::move(whole)), indices_(std::move(indices)), identity_(std::move(identity)) {}

  std::size_t size() const override { return indices_.size(); }
  std::string identity() const override { return identity_; }
  std::vector<std::string> input_names() const override { return whole_->input_names(); }
  bool names_are_hints() const override { return whole_->names_are_hints(); }
  void pad_batch(std::vector<Sample>& samples) const override { whole_->pad_batch(samples); }
  std::vector<std::size_t> lengths() const override { return whole_->lengths(); }
  Sample at(std::size_t index) const override { return whole_->at(in_whole(index)); }
  Tensor label(std::size_t index) const override { return whole_->label(in_whole(index)); }

 private:
  std::size_t in_whole(std::size_t index) const {
    check_index("LabelBalance", index, size());
    return indices_[index];
  }

  std::shared_ptr<const Dataset> whole_;
  std::vector<std::size_t> indices_;
  std::string identity_;
};

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
  return std::make_unique<Subset>(std::move(whole), std::move(indices), std::move(identity));
}

}  // namespace lpot
