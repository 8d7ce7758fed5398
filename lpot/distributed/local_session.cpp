#include "lpot/distributed/local_session.h"

#include <fmt/format.h>

#include <deque>
#include <exception>
#include <map>
#include <optional>

#include "lpot/core/error.h"

namespace lpot {
namespace {

// With a state, several sequences run at the same time.
std::vector<std::size_t> execution_order(const BatchProgram& program, const BatchPass& pass) {
  return program.model.state.empty() ? pass.positions
                                     : interleave_sequences(pass.positions, program.loader.sequence_starts());
}

// Passes results to a collector in the order of a pass.
class InOrder {
 public:
  // The arguments must outlive this object. `is_ordered`: results already come in this order.
  InOrder(const std::vector<std::size_t>& positions, BatchCollector& collector, bool is_ordered)
      : collector_(collector), is_ordered_(is_ordered) {
    if (is_ordered) return;
    for (std::size_t i = 0; i < positions.size(); ++i) rank_[positions[i]] = i;
  }

  void add(ExecutedBatch batch) {
    if (is_ordered_) return collector_.add(std::move(batch));
    waiting_.emplace(rank_.at(batch.positions.front()), std::move(batch));
    while (!waiting_.empty() && waiting_.begin()->first == next_ && !collector_.is_complete()) {
      collector_.add(std::move(waiting_.extract(waiting_.begin()).mapped()));
      ++next_;
    }
  }

 private:
  BatchCollector& collector_;
  bool is_ordered_;
  std::map<std::size_t, std::size_t> rank_;  // by position
  std::map<std::size_t, ExecutedBatch> waiting_;
  std::size_t next_ = 0;
};

// One pass of a LocalSession.
class LocalPass {
 public:
  LocalPass(const BatchProgram& program, const BatchPass& pass, BatchCollector& collector, const Observer& observer)
      : program_(program),
        positions_(execution_order(program, pass)),
        unread_(positions_),
        batches_(program.loader.read(positions_)),
        collector_(collector),
        // Borrowed outputs cannot wait.
        results_(pass.positions, collector, program.model.state.empty() || program.runner.borrow_outputs),
        observer_(observer) {}

  void run(Runner& runner, SequenceStates& states) {
    const auto is_ready = [&] { return unread_.empty() || states.is_ready(unread_.front()); };
    const auto next = [&]() -> std::optional<RunnerStep> {
      const std::size_t position = unread_.empty() ? 0 : unread_.front();
      auto inputs = next_inputs();
      if (!inputs) return std::nullopt;
      return RunnerStep{std::move(*inputs), states.release(position)};
    };
    runner.run_steps({is_ready, next}, [&](std::vector<Tensor> outputs) {
      states.store(running_.front().positions.front(), outputs);
      collect(std::move(outputs));
    });
    if (read_error_ && !collector_.is_complete()) std::rethrow_exception(read_error_);
  }

 private:
  std::optional<std::vector<Tensor>> next_inputs() {
    observer_.check_stop();
    if (collector_.is_complete()) return std::nullopt;
    auto batch = read_batch();
    if (!batch) return std::nullopt;
    LoadedBatch loaded = load_batch(std::move(*batch), program_, unread_);
    unread_ = unread_.subspan(loaded.result.positions.size());
    running_.push_back(std::move(loaded.result));
    return std::move(loaded.inputs);
  }

  // A read error must not overtake the batches that are still running: they may complete the pass or fail first.
  std::optional<Batch> read_batch() {
    try {
      return batches_.next();
    } catch (...) {
      read_error_ = std::current_exception();
      return std::nullopt;
    }
  }

  void collect(std::vector<Tensor> outputs) {
    ExecutedBatch batch = std::move(running_.front());
    running_.pop_front();
    if (collector_.is_complete()) return;
    batch.outputs = std::move(outputs);
    results_.add(std::move(batch));
  }

  const BatchProgram& program_;
  const std::vector<std::size_t> positions_;  // in the order of execution
  std::span<const std::size_t> unread_;
  BatchStream batches_;
  BatchCollector& collector_;
  InOrder results_;
  const Observer& observer_;
  std::deque<ExecutedBatch> running_;  // in order, without outputs
  std::exception_ptr read_error_;
};

void check_sequences(const BatchProgram& program) {
  if (program.model.state.empty()) return;
  const LoaderOptions& options = program.loader.options();
  if (options.batch_size != 1)
    throw ConfigError("state",
                      fmt::format("dataloader.batch_size is {}; expected 1, because model.state runs one sample "
                                  "of a sequence after the other",
                                  options.batch_size));
  if (options.shuffle && options.sequence_lengths.empty())
    throw ConfigError("state",
                      "dataloader.shuffle is true, but model.state needs the samples of a sequence in their order; set "
                      "dataloader.sequence_length, so that whole sequences are shuffled, or shuffle: false");
}

// The checked program.
BatchProgram checked(BatchProgram program) {
  check_sequences(program);
  return program;
}

}  // namespace

LocalSession::LocalSession(BatchProgram program)
    : program_(checked(std::move(program))),
      runner_(program_.model, program_.loader.dataset().input_naming(), program_.runner),
      states_(program_.model.state, program_.loader.sequence_starts()) {}

void LocalSession::run(const BatchPass& pass, BatchCollector& collector, const Observer& observer) {
  LocalPass(program_, pass, collector, observer).run(runner_, states_);
}

LoadedBatch load_batch(Batch batch, const BatchProgram& program, std::span<const std::size_t> positions) {
  LoadedBatch loaded;
  loaded.result.positions = positions.first(batch.count());
  if (program.with_labels) loaded.result.labels = std::move(batch.labels);
  if (program.find_nans) loaded.result.nans = find_nans(batch.inputs);
  for (const Tensor& input : batch.inputs) loaded.result.input_shapes.push_back(input.shape());
  loaded.inputs = std::move(batch.inputs);
  return loaded;
}

}  // namespace lpot
