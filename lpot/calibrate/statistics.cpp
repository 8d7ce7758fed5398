#include "lpot/calibrate/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"

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

void add_run(ChannelStatistics& channel, const float* values, std::size_t count) {
  float low = values[0], high = values[0];
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
    const double value = static_cast<double>(values[i]);
    sum += value;
    squares += value * value;
  }
  const bool first = channel.count == 0;
  channel.min = first ? low : std::min(channel.min, low);
  channel.max = first ? high : std::max(channel.max, high);
  channel.sum += sum;
  channel.sum_of_squares += squares;
  channel.count += count;
}

// Channels last (inner == 1): one value of each channel after the other. What is counted lies in arrays of its own
// while the rows are read, so that the loops over channels work on several at a time.
void add_rows(std::vector<ChannelStatistics>& channels, const float* values, std::size_t rows) {
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
  for (std::size_t i = 0; i < count; ++i) {
    ChannelStatistics& channel = channels[i];
    const bool first = channel.count == 0;
    channel.min = first ? low[i] : std::min(channel.min, low[i]);
    channel.max = first ? high[i] : std::max(channel.max, high[i]);
    channel.sum += sums[i];
    channel.sum_of_squares += squares[i];
    channel.count += rows;
  }
}

float largest_absolute(const float* values, std::size_t count) {
  float largest = 0;
  bool finite = true;
  for (std::size_t i = 0; i < count; ++i) {
    const float magnitude = std::fabs(values[i]);
    finite &= magnitude <= std::numeric_limits<float>::max();  // false for NaN too
    largest = std::max(largest, magnitude);
  }
  if (!finite) throw DataError("calibrate", "a value is not finite (NaN or infinite)");
  return largest;
}

}  // namespace

void TensorStatistics::add(const Tensor& tensor, int channel_axis) {
  if (tensor.size() == 0) return;
  const Tensor floats = tensor.converted(ElementType::F32);
  const float* values = floats.data<float>();
  const Layout layout = layout_of(tensor.shape(), channel_axis);
  const float largest = largest_absolute(values, floats.size());
  if (!channels_.empty() && channels_.size() != layout.channels)
    throw DataError("calibrate",
                    fmt::format("the number of channels changes from {} to {}", channels_.size(), layout.channels));
  // Sums of doubles hang on their order: a batch is summed up by itself, as where its statistics come from elsewhere.
  std::vector<ChannelStatistics> of_batch(layout.channels);
  if (layout.inner == 1) {
    add_rows(of_batch, values, layout.outer);
  } else {
    for (std::size_t i = 0; i < layout.outer * layout.channels; ++i)
      add_run(of_batch[i % layout.channels], values + i * layout.inner, layout.inner);
  }
  add_channels(of_batch);
  histogram_.add(values, floats.size(), largest);
}

void TensorStatistics::add_channels(const std::vector<ChannelStatistics>& others) {
  if (channels_.empty()) {
    channels_ = others;
    return;
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    channels_[i].min = std::min(channels_[i].min, others[i].min);
    channels_[i].max = std::max(channels_[i].max, others[i].max);
    channels_[i].sum += others[i].sum;
    channels_[i].sum_of_squares += others[i].sum_of_squares;
    channels_[i].count += others[i].count;
  }
}

void TensorStatistics::merge(const TensorStatistics& other) {
  if (!other.channels_.empty()) {
    if (!channels_.empty() && channels_.size() != other.channels_.size())
      throw DataError("calibrate", fmt::format("the number of channels changes from {} to {}", channels_.size(),
                                               other.channels_.size()));
    add_channels(other.channels_);
  }
  histogram_.merge(other.histogram_);
}

TensorStatistics TensorStatistics::channels_alone() const {
  TensorStatistics part;
  part.channels_ = channels_;
  return part;
}

TensorStatistics TensorStatistics::histogram_alone() const {
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
