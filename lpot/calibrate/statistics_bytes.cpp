// Statistics as bytes: counts, then fixed-size numbers of this machine's byte order; empty bins are left out.
#include <cstring>

#include "lpot/calibrate/statistics.h"
#include "lpot/core/error.h"

namespace lpot {
namespace {

constexpr std::string_view kMagic = "lpot-statistics-2";

class Writer {
 public:
  template <typename T>
  void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number<std::uint64_t>(text.size());
    bytes_.append(text);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T number() {
    T value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number<std::uint64_t>())); }
  // A count of things that take at least `bytes_each`: damaged bytes cannot ask for more memory than they have.
  std::size_t count(std::size_t bytes_each) {
    const auto value = number<std::uint64_t>();
    if (value > bytes_.size() / bytes_each) damaged();
    return value;
  }
  bool at_end() const { return bytes_.empty(); }
  [[noreturn]] static void damaged() {
    throw StoreError("statistics", "the kept statistics are damaged; tune without --resume to calibrate again");
  }

 private:
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) damaged();
    const std::string_view part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }
  std::string_view bytes_;
};

}  // namespace

class HistogramCodec {
 public:
  static void write(Writer& writer, const Histogram& histogram) {
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

  static Histogram read(Reader& reader) {
    Histogram histogram;
    histogram.exponent_ = static_cast<int>(reader.number<std::int64_t>());
    histogram.zeros_before_range_ = reader.number<std::uint64_t>();
    if (reader.number<std::uint8_t>() != 0) histogram.counts_.assign(Histogram::kBins, 0);
    const std::size_t filled = reader.count(sizeof(std::uint32_t) + sizeof(std::uint64_t));
    for (std::size_t i = 0; i < filled; ++i) {
      const auto bin = reader.number<std::uint32_t>();
      if (bin >= histogram.counts_.size()) Reader::damaged();
      histogram.counts_[bin] = reader.number<std::uint64_t>();
    }
    return histogram;
  }
};

class StatisticsCodec {
 public:
  static void write(Writer& writer, const TensorStatistics& tensor) {
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

  static TensorStatistics read(Reader& reader) {
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
  Writer writer;
  writer.text(kMagic);
  writer.number<std::uint64_t>(statistics.size());
  for (const auto& [name, tensor] : statistics) {
    writer.text(name);
    StatisticsCodec::write(writer, tensor);
  }
  return writer.take();
}

Statistics statistics_from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  if (reader.text() != kMagic) Reader::damaged();
  Statistics statistics;
  for (std::size_t left = reader.count(1); left > 0; --left) {
    std::string name = reader.text();
    statistics.emplace(std::move(name), StatisticsCodec::read(reader));
  }
  if (!reader.at_end()) Reader::damaged();
  return statistics;
}

}  // namespace lpot
