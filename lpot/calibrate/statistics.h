// What calibration keeps of the activations: enough for every range algorithm, and no more with more samples.
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

// In place of a channel axis: all values are of one channel, whatever the shape.
inline constexpr int kNoChannels = std::numeric_limits<int>::max();

class TensorStatistics {
 public:
  // Counts a tensor of f32; `channel_axis` may be negative (from the end) or kNoChannels. Throws DataError when a value
  // is not finite.
  void add(const Tensor&, int channel_axis);
  // What comes of batches that were counted elsewhere, merged in the data's order, is what adding them here gives, to
  // the last bit. Throws DataError when the numbers of channels differ.
  void merge(const TensorStatistics&);

  // The two halves: sums of channels must be merged in the data's order, histograms may be in any.
  TensorStatistics channels_alone() const;
  TensorStatistics histogram_alone() const;

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

// As bytes, for the store; reading damaged bytes is a StoreError.
std::string to_bytes(const Statistics&);
Statistics statistics_from_bytes(std::string_view);

}  // namespace lpot
