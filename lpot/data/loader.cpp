#include "lpot/data/loader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/random.h"
#include "lpot/data/batch_stream.h"

namespace lpot {
namespace {

// The length of every sequence.
std::vector<std::size_t> all_lengths(std::size_t size, const std::vector<std::size_t>& lengths) {
  if (lengths.size() == 1 && lengths[0] > 0 && size % lengths[0] == 0)
    return std::vector<std::size_t>(size / lengths[0], lengths[0]);
  if (lengths.size() == 1)
    throw ConfigError("DataLoader", fmt::format("sequence_length is {}, but the data set has {} samples; expected a "
                                                "multiple of {}, or a list with the length of every sequence",
                                                lengths[0], size, lengths[0]));
  const std::size_t sum = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  if (sum != size || std::find(lengths.begin(), lengths.end(), std::size_t{0}) != lengths.end())
    throw ConfigError("DataLoader",
                      fmt::format("sequence_length: the lengths of {} sequences add up to {}, but the data "
                                  "set has {} samples; expected the length of every sequence",
                                  lengths.size(), sum, size));
  return lengths;
}

// Samples in the order of the loader, and the positions at which sequences start.
struct LoaderOrder {
  std::vector<std::size_t> indices;
  std::vector<std::size_t> sequence_starts;
};

LoaderOrder order_sequences(std::size_t size, const LoaderOptions& options) {
  const std::vector<std::size_t> lengths = all_lengths(size, options.sequence_lengths);
  std::vector<std::size_t> first{0};  // sample of each sequence
  for (const std::size_t length : lengths) first.push_back(first.back() + length);
  std::vector<std::size_t> sequences(lengths.size());
  std::iota(sequences.begin(), sequences.end(), std::size_t{0});
  if (options.shuffle) sequences = shuffled(sequences.size(), options.seed);
  LoaderOrder order;
  for (const std::size_t sequence : sequences) {
    order.sequence_starts.push_back(order.indices.size());
    for (std::size_t i = 0; i < lengths[sequence]; ++i) order.indices.push_back(first[sequence] + i);
  }
  return order;
}

std::vector<std::size_t> order_samples(std::size_t size, const LoaderOptions& options) {
  if (options.shuffle) return shuffled(size, options.seed);
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

Sample read_sample(const Dataset& dataset, std::size_t index) {
  try {
    return dataset.at(index);
  } catch (const DataError& error) {
    const std::string text = error.what();  // "[operation] message"
    const std::size_t end = text.find("] ");
    throw DataError(text.substr(1, end - 1), text.substr(end + 2) +
                                                 ". Repair the data, or set on_error: skip in the dataloader to leave "
                                                 "out samples that cannot be read");
  }
}

LoaderOrder make_order(std::size_t size, const LoaderOptions& options) {
  LoaderOrder made = options.sequence_lengths.empty() ? LoaderOrder{order_samples(size, options), {0}}
                                                      : order_sequences(size, options);
  std::vector<std::size_t>& order = made.indices;
  if (options.limit) order.resize(std::min(order.size(), *options.limit));
  if (options.drop_last) order.resize(order.size() - order.size() % options.batch_size);
  std::erase_if(made.sequence_starts, [&](std::size_t start) { return start >= order.size(); });
  return made;
}

}  // namespace

DataLoader::DataLoader(std::shared_ptr<const Dataset> dataset, std::vector<Transform> transforms, LoaderOptions options)
    : dataset_(std::move(dataset)), transforms_(std::move(transforms)), options_(std::move(options)) {
  if (options_.batch_size == 0) throw ConfigError("DataLoader", "batch_size: expected at least 1, got 0");
  if (options_.sequence_lengths.empty()) options_.sequence_lengths = dataset_->sequence_lengths();
  LoaderOrder order = make_order(dataset_->size(), options_);
  order_ = std::move(order.indices);
  sequence_starts_ = std::move(order.sequence_starts);
}

Sample DataLoader::sample(std::size_t position) const {
  if (position >= order_.size())
    throw DataError("DataLoader", fmt::format("position {} does not exist; the loader has {} samples, counted from 0",
                                              position, order_.size()));
  const std::size_t index = order_[position];
  if (cache_)
    if (auto stored = cache_->get(index)) return std::move(*stored);
  Sample sample = read_sample(*dataset_, index);
  const std::uint64_t seed = mix(options_.seed ^ mix(index));
  try {
    for (const Transform& transform : transforms_) sample = transform.apply(std::move(sample), seed);
  } catch (const DataError& error) {
    throw DataError("DataLoader", fmt::format("sample {}: {}", index, error.what()));
  }
  if (cache_) cache_->put(index, sample);
  return sample;
}

BatchStream DataLoader::read() const {
  std::vector<std::size_t> positions(order_.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return read(std::move(positions));
}

BatchStream DataLoader::read(std::vector<std::size_t> positions) const {
  auto state = std::make_unique<BatchStream::State>(*this, std::move(positions));
  state->start();
  return BatchStream(std::move(state));
}

std::string DataLoader::identity() const {
  std::vector<std::string> steps;
  for (const Transform& transform : transforms_)
    steps.push_back(transform.identity.empty() ? transform.name : transform.identity);
  Fingerprint order;
  order.add({reinterpret_cast<const char*>(order_.data()), order_.size() * sizeof(std::size_t)});
  // The seed is included even without shuffling, because random transforms use it.
  const std::string sequences = options_.sequence_lengths.empty()
                                    ? ""
                                    : fmt::format(", sequences of {}", fmt::join(options_.sequence_lengths, ", "));
  return fmt::format("{}; transforms: {}; {} samples in order {}, seed {}{}", dataset_->identity(),
                     fmt::join(steps, ", "), order_.size(), order.hex(), options_.seed, sequences);
}

DataLoader DataLoader::with(const LoaderOptions& options) const {
  DataLoader other(dataset_, transforms_, options);
  if (options.seed == options_.seed) other.cache_ = cache_;  // random transforms depend on the seed
  return other;
}

DataLoader DataLoader::cached(const CacheLimits& limits) const {
  DataLoader other = *this;
  if (!other.cache_) other.cache_ = std::make_shared<SampleCache>(limits);
  return other;
}

bool DataLoader::is_slow() const {
  constexpr std::size_t kSamples = 4;
  constexpr double kSlow = 100e-6;  // seconds per sample
  const std::size_t count = std::min(kSamples, size());
  const auto start = Clock::now();
  for (std::size_t i = 0; i < count; ++i) sample(i * size() / count);
  return count > 0 && seconds_since(start) > kSlow * static_cast<double>(count);
}

}  // namespace lpot
