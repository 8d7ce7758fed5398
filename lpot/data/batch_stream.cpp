#include "lpot/data/batch_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "lpot/core/error.h"

namespace lpot {
namespace {

bool alike(const Tensor& a, const Tensor& b) { return a.shape() == b.shape() && a.element_type() == b.element_type(); }

// `a` and `b` are the indices of the samples in the data set.
void check_alike(const Sample& one, std::size_t a, const Sample& two, std::size_t b) {
  if (one.inputs.size() != two.inputs.size())
    throw DataError("DataLoader",
                    fmt::format("samples {} and {} of one batch have {} and {} inputs; expected equal numbers", a, b,
                                one.inputs.size(), two.inputs.size()));
  for (std::size_t i = 0; i < one.inputs.size(); ++i)
    if (!alike(one.inputs[i], two.inputs[i]))
      throw DataError("DataLoader",
                      fmt::format("samples {} and {} of one batch have different types or shapes: {} and {}. "
                                  "Use batch_size 1 or resize the samples",
                                  a, b, one.inputs[i].describe(), two.inputs[i].describe()));
}

}  // namespace

BatchStream::BatchStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
BatchStream::BatchStream(BatchStream&&) noexcept = default;
BatchStream::~BatchStream() = default;
std::optional<Batch> BatchStream::next() { return state_ ? state_->next() : std::nullopt; }

BatchStream::State::State(DataLoader loader, std::vector<std::size_t> positions)
    : loader_(std::move(loader)),
      positions_(std::move(positions)),
      batches_((positions_.size() + loader_.options().batch_size - 1) / loader_.options().batch_size),
      slots_(std::max<std::size_t>(1, loader_.options().prefetch)) {
  for (const std::size_t position : positions_)
    if (position >= loader_.size())
      throw DataError("DataLoader", fmt::format("position {} does not exist; the loader has {} samples, counted from 0",
                                                position, loader_.size()));
}

BatchStream::State::~State() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  emptied_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void BatchStream::State::start() {
  const auto wanted = static_cast<std::size_t>(std::max(0, loader_.options().workers));
  const std::size_t count = std::min({wanted, batches_, slots_.size()});
  workers_.reserve(count);
  try {
    for (std::size_t i = 0; i < count; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system has no more threads. The stream continues with fewer threads, or without any.
  }
}

Batch BatchStream::State::make_batch(std::size_t number) const {
  const std::size_t first = number * loader_.options().batch_size;
  const std::size_t last = std::min(first + loader_.options().batch_size, positions_.size());
  std::vector<Sample> samples;
  for (std::size_t i = first; i < last && !stopping_; ++i) samples.push_back(loader_.sample(positions_[i]));
  Batch batch{.first = positions_[first], .inputs = {}, .labels = {}};
  if (samples.empty()) return batch;
  loader_.dataset().pad_batch(samples);
  for (std::size_t i = 1; i < samples.size(); ++i)
    check_alike(samples[0], loader_.index(positions_[first]), samples[i], loader_.index(positions_[first + i]));
  for (std::size_t input = 0; input < samples.front().inputs.size(); ++input) {
    std::vector<Tensor> rows;
    for (Sample& sample : samples) rows.push_back(std::move(sample.inputs[input]));
    batch.inputs.push_back(stack(rows));
  }
  for (Sample& sample : samples) batch.labels.push_back(std::move(sample.label));
  return batch;
}

BatchStream::State::Slot BatchStream::State::prepare(std::size_t number) const {
  Slot slot;
  try {
    slot.batch = make_batch(number);
  } catch (...) {
    slot.error = std::current_exception();
  }
  return slot;
}

void BatchStream::State::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    emptied_.wait(lock, [&] { return stopping_ || claimed_ == batches_ || claimed_ < returned_ + slots_.size(); });
    if (stopping_ || claimed_ == batches_) return;
    const std::size_t number = claimed_++;
    lock.unlock();
    Slot slot = prepare(number);
    lock.lock();
    slots_[number % slots_.size()] = std::move(slot);
    filled_.notify_all();
  }
}

std::optional<Batch> BatchStream::State::next() {
  if (returned_ == batches_) return std::nullopt;
  if (workers_.empty()) return make_batch(returned_++);
  Slot slot;
  {
    std::unique_lock lock(mutex_);
    Slot& waiting = slots_[returned_ % slots_.size()];
    filled_.wait(lock, [&] { return waiting.filled(); });
    slot = std::exchange(waiting, {});
    ++returned_;
  }
  emptied_.notify_all();
  if (slot.error) std::rethrow_exception(slot.error);
  return std::move(slot.batch);
}

}  // namespace lpot
