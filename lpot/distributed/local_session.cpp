#include "lpot/distributed/local_session.h"

#include <deque>
#include <exception>
#include <optional>

namespace lpot {
namespace {

// One pass of a LocalSession.
class LocalPass {
 public:
  LocalPass(const BatchProgram& program, const BatchPass& pass, BatchCollector& collector, const Observer& observer)
      : program_(program),
        unread_(pass.positions),
        batches_(program.loader.read(pass.positions)),
        collector_(collector),
        observer_(observer) {}

  void run(Runner& runner) {
    runner.run([this] { return next_inputs(); }, [this](std::vector<Tensor> outputs) { collect(std::move(outputs)); });
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
    collector_.add(std::move(batch));
  }

  const BatchProgram& program_;
  std::span<const std::size_t> unread_;  // positions
  BatchStream batches_;
  BatchCollector& collector_;
  const Observer& observer_;
  std::deque<ExecutedBatch> running_;  // in order, without outputs
  std::exception_ptr read_error_;
};

}  // namespace

LocalSession::LocalSession(BatchProgram program)
    : program_(std::move(program)),
      runner_(program_.model, program_.loader.dataset().input_naming(), program_.runner) {}

void LocalSession::run(const BatchPass& pass, BatchCollector& collector, const Observer& observer) {
  LocalPass(program_, pass, collector, observer).run(runner_);
}

LoadedBatch load_batch(Batch batch, const BatchProgram& program, std::span<const std::size_t> positions) {
  LoadedBatch loaded;
  loaded.result.positions = positions.first(batch.count());
  if (program.with_labels) loaded.result.labels = std::move(batch.labels);
  if (program.find_nans) loaded.result.nans = find_nans(batch.inputs);
  loaded.inputs = std::move(batch.inputs);
  return loaded;
}

}  // namespace lpot
