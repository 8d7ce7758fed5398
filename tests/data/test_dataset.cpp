#include "lpot/data/dataset.h"

#include "support.h"

namespace lpot {
namespace {

// Uses the default identity of Dataset.
class NumberDataset : public Dataset {
 public:
  explicit NumberDataset(std::vector<float> values, bool labelled = false)
      : values_(std::move(values)), labelled_(labelled) {}
  std::size_t size() const override { return values_.size(); }
  Sample at(std::size_t index) const override {
    const Tensor value = Tensor::scalar(values_.at(index));
    return {{value}, labelled_ ? value : Tensor()};
  }

 private:
  std::vector<float> values_;
  bool labelled_;
};

TEST(DatasetIdentity, IsTheSameForTheSameData) {
  EXPECT_EQ(NumberDataset({1, 2, 3}).identity(), NumberDataset({1, 2, 3}).identity());
}

TEST(DatasetIdentity, DependsOnSizeValuesAndLabels) {
  const std::string identity = NumberDataset({1, 2, 3}).identity();
  EXPECT_NE(NumberDataset({1, 2}).identity(), identity);
  EXPECT_NE(NumberDataset({1, 2, 4}).identity(), identity);
  EXPECT_NE(NumberDataset({0, 2, 3}).identity(), identity);
  EXPECT_NE(NumberDataset({1, 2, 3}, true).identity(), identity);
}

TEST(DatasetIdentity, ReadsFewSamplesOfMany) {
  class Counted : public NumberDataset {
   public:
    using NumberDataset::NumberDataset;
    Sample at(std::size_t index) const override {
      ++reads;
      return NumberDataset::at(index);
    }
    mutable int reads = 0;
  };
  const Counted many(std::vector<float>(100000, 1.0f));
  EXPECT_NE(many.identity(), NumberDataset({1}).identity());
  EXPECT_LE(many.reads, 16);
}

TEST(DatasetIdentity, ExistsForOneSampleAndForNone) {
  EXPECT_NE(NumberDataset({1}).identity(), NumberDataset({2}).identity());
  EXPECT_NE(NumberDataset({}).identity(), "");
}

}  // namespace
}  // namespace lpot
