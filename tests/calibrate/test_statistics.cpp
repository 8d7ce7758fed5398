#include <cmath>
#include <limits>

#include "lpot/calibrate/statistics.h"
#include "lpot/core/error.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

// Reference implementation: value by value, with the channel computed from the index.
std::vector<ChannelStatistics> reference(const Tensor& tensor, std::size_t axis) {
  const Shape& shape = tensor.shape();
  std::vector<ChannelStatistics> channels(shape[axis]);
  for (std::size_t flat = 0; flat < tensor.size(); ++flat) {
    std::size_t rest = flat, index = 0;
    for (std::size_t i = shape.size(); i-- > 0; rest /= shape[i])
      if (i == axis) index = rest % shape[i];
    const float value = tensor.data<float>()[flat];
    ChannelStatistics& channel = channels[index];
    channel.min = channel.count == 0 ? value : std::min(channel.min, value);
    channel.max = channel.count == 0 ? value : std::max(channel.max, value);
    channel.sum += value;
    ++channel.count;
  }
  return channels;
}

struct AxisCase {
  Shape shape;
  int axis;
  std::size_t counted_axis;
};

class ChannelsOf : public ::testing::TestWithParam<AxisCase> {};

TEST_P(ChannelsOf, AgreeWithTheReference) {
  const auto& [shape, axis, counted_axis] = GetParam();
  TensorStatistics statistics;
  const Tensor tensor = random_tensor(shape, 3, -2.0f, 5.0f);
  statistics.add(tensor, axis);
  const auto expected = reference(tensor, counted_axis);
  ASSERT_EQ(statistics.channels().size(), expected.size());
  float low = expected[0].min, high = expected[0].max;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(statistics.channels()[i].min, expected[i].min);
    EXPECT_EQ(statistics.channels()[i].max, expected[i].max);
    EXPECT_NEAR(statistics.channels()[i].mean(), expected[i].mean(), 1e-12);
    EXPECT_EQ(statistics.channels()[i].count, expected[i].count);
    low = std::min(low, expected[i].min);
    high = std::max(high, expected[i].max);
  }
  EXPECT_EQ(statistics.min(), low);
  EXPECT_EQ(statistics.max(), high);
  EXPECT_EQ(statistics.histogram().total(), tensor.size());
}

INSTANTIATE_TEST_SUITE_P(Axes, ChannelsOf,
                         ::testing::Values(AxisCase{{2, 3, 4, 5}, 1, 1}, AxisCase{{2, 3, 4, 5}, -1, 3},
                                           AxisCase{{7, 6}, -1, 1}, AxisCase{{2, 5, 6}, -1, 2}, AxisCase{{4}, 1, 0}));

TEST(TensorStatistics, MergeFromParts) {
  TensorStatistics whole, first, second;
  for (unsigned seed = 0; seed < 4; ++seed) {
    // Eighths, so that sums are exact in any order.
    Tensor tensor = random_tensor({2, 3, 4, 4}, seed, -8, 40);
    for (std::size_t i = 0; i < tensor.size(); ++i)
      tensor.data<float>()[i] = std::round(tensor.data<float>()[i] * 8) / 8;
    whole.add(tensor, 1);
    (seed % 2 == 0 ? first : second).add(tensor, 1);
  }
  TensorStatistics merged;
  merged.merge(second);
  merged.merge(TensorStatistics());
  merged.merge(first);
  EXPECT_EQ(merged, whole);
}

TEST(TensorStatistics, RejectNonFiniteValues) {
  for (const float value : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    TensorStatistics statistics;
    EXPECT_THAT(message_of<DataError>([&] {
                  statistics.add(Tensor::from<float>({1, 3}, {1, value, 2}), 1);
                }),
                HasSubstr("NaN or infinite"));
  }
}

TEST(TensorStatistics, JoinChannelsWhoseNumberVaries) {
  const std::vector<Tensor> tensors{Tensor::from<float>({1, 3}, {1, -2, 3}), Tensor::from<float>({1, 2}, {5, -4}),
                                    Tensor::from<float>({1, 3}, {0, 0, 2})};
  TensorStatistics statistics, joined, merged;
  for (const Tensor& tensor : tensors) {
    statistics.add(tensor, 1);
    joined.add(tensor, kNoChannels);
    TensorStatistics part;
    part.add(tensor, 1);
    merged.merge(part);
  }
  EXPECT_EQ(statistics.channels().size(), 1u);
  EXPECT_EQ(statistics, joined);
  EXPECT_EQ(merged, statistics);
}

Statistics sample_statistics() {
  Statistics statistics;
  statistics["conv"].add(random_tensor({2, 3, 4, 4}, 1, -3, 9), 1);
  statistics["zeros"].add(Tensor(ElementType::F32, {2, 2}), -1);
  statistics["fc/with some longer name:1"].add(random_tensor({5, 7}, 2, 0, 1e-3f), -1);
  return statistics;
}

TEST(StatisticsBytes, AreReadBackEqual) {
  const Statistics statistics = sample_statistics();
  EXPECT_EQ(statistics_from_bytes(to_bytes(statistics)), statistics);
  EXPECT_EQ(statistics_from_bytes(to_bytes(Statistics())), Statistics());
}

TEST(StatisticsBytes, AreRejectedWhenTruncatedAnywhere) {
  const std::string bytes = to_bytes(sample_statistics());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    ASSERT_THROW(statistics_from_bytes(std::string_view(bytes).substr(0, length)), StoreError) << length;
  EXPECT_THROW(statistics_from_bytes(bytes + "x"), StoreError);
}

TEST(StatisticsBytes, NeverCrashTheReaderWhenDamaged) {
  const std::string bytes = to_bytes(sample_statistics());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const char damage : {'\xff', '\x01'}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ damage);
      try {
        statistics_from_bytes(damaged);  // may also be readable, with other numbers
      } catch (const StoreError&) {
      }
    }
}

}  // namespace
}  // namespace lpot
