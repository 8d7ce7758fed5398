// Serialization of statistics: counts, then fixed-size numbers in the byte order of this machine. Empty bins are not
// written.
#include "lpot/calibrate/statistics.h"
#include "lpot/core/bytes.h"

namespace lpot {
namespace {

constexpr std::string_view kMagic = "lpot-statistics-2";

constexpr ByteReader::ErrorText kDamaged{
    "statistics", "the stored statistics are damaged. Tune without --resume to calibrate again."};

}  // namespace

class HistogramCodec {
 public:
  static void write(ByteWriter& writer, const Histogram& histogram) {
    writer.number<std::int64_t>(histogram.exponent_);
    writer.number(histogram.zeros_before_range_);
    writer.number<std::uint8_t>(!histogram.counts_.empty());
    std::uint64_t filled = 0;
    for (const std::uint64_t count : histogram.counts_) filled += count != 0;
    writer.number(filled);
    for (std::size_t bin = 0; bin < histogram.counts_.size(); ++bin)
      if (histogram.counts_[bin] != 0) {
        writer.number<std::uint32_t>(static_cast<std::uint32_t>(bin));
        writer.number(histogram.counts_[bin]);
      }
  }

  static Histogram read(ByteReader& reader) {
    Histogram histogram;
    histogram.exponent_ = static_cast<int>(reader.number<std::int64_t>());
    histogram.zeros_before_range_ = reader.number<std::uint64_t>();
    if (reader.number<std::uint8_t>() != 0) histogram.counts_.assign(Histogram::kBins, 0);
    const std::size_t filled = reader.count(sizeof(std::uint32_t) + sizeof(std::uint64_t));
    for (std::size_t i = 0; i < filled; ++i) {
      const auto bin = reader.number<std::uint32_t>();
      if (bin >= histogram.counts_.size()) reader.damaged();
      histogram.counts_[bin] = reader.number<std::uint64_t>();
    }
    return histogram;
  }
};

class StatisticsCodec {
 public:
  static void write(ByteWriter& writer, const TensorStatistics& tensor) {
    writer.number<std::uint64_t>(tensor.channels_.size());
    for (const ChannelStatistics& channel : tensor.channels_) {
      writer.number(channel.min);
      writer.number(channel.max);
      writer.number(channel.sum);
      writer.number(channel.sum_of_squares);
      writer.number(channel.count);
    }
    HistogramCodec::write(writer, tensor.histogram_);
  }

  static TensorStatistics read(ByteReader& reader) {
    TensorStatistics tensor;
    tensor.channels_.resize(reader.count(2 * sizeof(float) + 2 * sizeof(double) + sizeof(std::uint64_t)));
    for (ChannelStatistics& channel : tensor.channels_) {
      channel.min = reader.number<float>();
      channel.max = reader.number<float>();
      channel.sum = reader.number<double>();
      channel.sum_of_squares = reader.number<double>();
      channel.count = reader.number<std::uint64_t>();
    }
    tensor.histogram_ = HistogramCodec::read(reader);
    return tensor;
  }
};

std::string to_bytes(const Statistics& statistics) {
  ByteWriter writer;
  writer.text(kMagic);
  writer.number<std::uint64_t>(statistics.size());
  for (const auto& [name, tensor] : statistics) {
    writer.text(name);
    StatisticsCodec::write(writer, tensor);
  }
  return writer.release();
}

Statistics statistics_from_bytes(std::string_view bytes) {
  ByteReader reader(bytes, kDamaged);
  if (reader.text() != kMagic) reader.damaged();
  Statistics statistics;
  for (std::size_t left = reader.count(1); left > 0; --left) {
    std::string name = reader.text();
    statistics.emplace(std::move(name), StatisticsCodec::read(reader));
  }
  if (!reader.at_end()) reader.damaged();
  return statistics;
}

}  // namespace lpot
