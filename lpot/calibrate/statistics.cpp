#include "lpot/calibrate/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lpot/core/error.h"
#include "lpot/core/multiversion.h"

namespace lpot {
namespace {

// Splits a shape at the channel axis: [outer, channels, inner].
struct Layout {
  std::size_t outer = 1, channels = 1, inner = 1;
};

Layout layout_of(const Shape& shape, int channel_axis) {
  Layout layout;
  if (shape.empty()) return layout;
  if (channel_axis == kNoChannels) return {.outer = 1, .channels = 1, .inner = element_count(shape)};
  const auto rank = static_cast<int>(shape.size());
  const auto axis =
      static_cast<std::size_t>(std::clamp(channel_axis < 0 ? channel_axis + rank : channel_axis, 0, rank - 1));
  for (std::size_t i = 0; i < shape.size(); ++i)
    (i < axis ? layout.outer : i == axis ? layout.channels : layout.inner) *= shape[i];
  return layout;
}

struct Summary {
  float low = 0, high = 0;
  double sum = 0, squares = 0;
};

void merge_summary(ChannelStatistics& channel, const Summary& found, std::size_t count) {
  const bool first = channel.count == 0;
  channel.min = first ? found.low : std::min(channel.min, found.low);
  channel.max = first ? found.high : std::max(channel.max, found.high);
  channel.sum += found.sum;
  channel.sum_of_squares += found.squares;
  channel.count += count;
}

// Summarizes values of one channel. The values are distributed over kLanes accumulators, so that the compiler
// vectorizes the loop.
LPOT_FOR_EVERY_CPU Summary summarize_run(const float* values, std::size_t count) {
  constexpr std::size_t kLanes = 8;
  float low[kLanes], high[kLanes];
  double sum[kLanes] = {}, squares[kLanes] = {};
  std::fill_n(low, kLanes, values[0]);
  std::fill_n(high, kLanes, values[0]);
  const auto add = [&](std::size_t lane, float each) {
    low[lane] = each < low[lane] ? each : low[lane];
    high[lane] = each > high[lane] ? each : high[lane];
    const double value = static_cast<double>(each);
    sum[lane] += value;
    squares[lane] += value * value;
  };
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(lane, values[i + lane]);
  for (; i < count; ++i) add(i % kLanes, values[i]);
  Summary all{low[0], high[0]};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    all.low = std::min(all.low, low[lane]);
    all.high = std::max(all.high, high[lane]);
    all.sum += sum[lane];
    all.squares += squares[lane];
  }
  return all;
}

// Channels last (inner == 1): each row has one value per channel. The accumulators are separate arrays, so that the
// compiler vectorizes the loops over channels.
LPOT_FOR_EVERY_CPU void add_rows(std::vector<ChannelStatistics>& channels, const float* values, std::size_t rows) {
  const std::size_t count = channels.size();
  std::vector<float> low(values, values + count), high(values, values + count);
  std::vector<double> sums(count, 0.0), squares(count, 0.0);
  float *lows = low.data(), *highs = high.data();
  double *sum = sums.data(), *square = squares.data();
  for (std::size_t row = 0; row < rows; ++row, values += count) {
    for (std::size_t i = 0; i < count; ++i) {
      lows[i] = values[i] < lows[i] ? values[i] : lows[i];
      highs[i] = values[i] > highs[i] ? values[i] : highs[i];
    }
    for (std::size_t i = 0; i < count; ++i) {
      const double value = static_cast<double>(values[i]);
      sum[i] += value;
      square[i] += value * value;
    }
  }
  for (std::size_t i = 0; i < count; ++i) merge_summary(channels[i], {low[i], high[i], sums[i], squares[i]}, rows);
}

ChannelStatistics merged(const ChannelStatistics& a, const ChannelStatistics& b) {
  return {.min = std::min(a.min, b.min),
          .max = std::max(a.max, b.max),
          .sum = a.sum + b.sum,
          .sum_of_squares = a.sum_of_squares + b.sum_of_squares,
          .count = a.count + b.count};
}

ChannelStatistics joined(const std::vector<ChannelStatistics>& channels) {
  return std::accumulate(channels.begin() + 1, channels.end(), channels.front(), merged);
}

// Infinity when a value is not finite.
LPOT_FOR_EVERY_CPU float largest_absolute(const float* values, std::size_t count) {
  float largest = 0;
  int not_finite = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float magnitude = std::fabs(values[i]);
    not_finite |= !(magnitude <= std::numeric_limits<float>::max());  // also true for NaN
    largest = magnitude > largest ? magnitude : largest;
  }
  return not_finite ? std::numeric_limits<float>::infinity() : largest;
}

}  // namespace

void TensorStatistics::add(const Tensor& tensor, int channel_axis) {
  if (tensor.size() == 0) return;
  const Tensor floats = tensor.converted(ElementType::F32);
  const float* values = floats.data<float>();
  const Layout layout = layout_of(tensor.shape(), channel_axis);
  const float largest = largest_absolute(values, floats.size());
  if (!std::isfinite(largest))
    throw DataError("calibrate", "found a value that is NaN or infinite; expected finite values");
  // A sum of doubles depends on its order. Each batch is summed separately, so that the result is the same when workers
  // sum up the batches.
  std::vector<ChannelStatistics> of_batch(layout.channels);
  if (layout.inner == 1) {
    add_rows(of_batch, values, layout.outer);
  } else {
    for (std::size_t i = 0; i < layout.outer * layout.channels; ++i)
      merge_summary(of_batch[i % layout.channels], summarize_run(values + i * layout.inner, layout.inner),
                    layout.inner);
  }
  add_channels(of_batch);
  histogram_.add(values, floats.size(), largest);
}

void TensorStatistics::add_channels(const std::vector<ChannelStatistics>& others) {
  if (channels_.empty()) {
    channels_ = others;
  } else if (channels_.size() == others.size()) {
    for (std::size_t i = 0; i < channels_.size(); ++i) channels_[i] = merged(channels_[i], others[i]);
  } else {  // the axis is not one of channels
    channels_ = {merged(joined(channels_), joined(others))};
  }
}

void TensorStatistics::merge(const TensorStatistics& other) {
  if (!other.channels_.empty()) add_channels(other.channels_);
  histogram_.merge(other.histogram_);
}

TensorStatistics TensorStatistics::channels_only() const {
  TensorStatistics part;
  part.channels_ = channels_;
  return part;
}

TensorStatistics TensorStatistics::histogram_only() const {
  TensorStatistics part;
  part.histogram_ = histogram_;
  return part;
}

float TensorStatistics::min() const {
  return std::min_element(channels_.begin(), channels_.end(),
                          [](const auto& a, const auto& b) { return a.min < b.min; })
      ->min;
}

float TensorStatistics::max() const {
  return std::max_element(channels_.begin(), channels_.end(),
                          [](const auto& a, const auto& b) { return a.max < b.max; })
      ->max;
}

}  // namespace lpot
