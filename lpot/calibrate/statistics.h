// Statistics of activations that calibration collects: sufficient for every range algorithm, with a size that does not
// grow with the number of samples.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/calibrate/histogram.h"
#include "lpot/core/tensor.h"

namespace lpot {

struct ChannelStatistics {
  float min = 0;
  float max = 0;
  double sum = 0;
  double sum_of_squares = 0;
  std::uint64_t count = 0;

  double mean() const { return count == 0 ? 0.0 : sum / static_cast<double>(count); }
  double mean_square() const { return count == 0 ? 0.0 : sum_of_squares / static_cast<double>(count); }
  bool operator==(const ChannelStatistics&) const = default;
};

// Used instead of a channel axis: all values belong to one channel, for any shape.
inline constexpr int kNoChannels = std::numeric_limits<int>::max();

class TensorStatistics {
 public:
  // Adds an f32 tensor. `channel_axis` may be negative (from the end) or kNoChannels. If the size of the axis varies,
  // all channels become one. Throws DataError when a value is not finite.
  void add(const Tensor&, int channel_axis);
  // Merging the statistics of batches in the order of the data gives exactly the result of adding the batches here.
  void merge(const TensorStatistics&);

  // The two parts: channel sums must be merged in the order of the data, histograms in any order.
  TensorStatistics channels_only() const;
  TensorStatistics histogram_only() const;

  bool empty() const { return channels_.empty(); }
  float min() const;
  float max() const;
  const std::vector<ChannelStatistics>& channels() const { return channels_; }
  const Histogram& histogram() const { return histogram_; }

  bool operator==(const TensorStatistics&) const = default;

 private:
  friend class StatisticsCodec;
  void add_channels(const std::vector<ChannelStatistics>&);

  std::vector<ChannelStatistics> channels_;
  Histogram histogram_;
};

// By tensor name (see tensor_name in observe.h).
using Statistics = std::map<std::string, TensorStatistics>;

// Serialization for the store. Damaged bytes are a StoreError.
std::string to_bytes(const Statistics&);
Statistics statistics_from_bytes(std::string_view);

}  // namespace lpot
