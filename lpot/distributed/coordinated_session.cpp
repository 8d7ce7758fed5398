#include "lpot/distributed/coordinated_session.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "lpot/core/error.h"
#include "lpot/distributed/batch_worker.h"
#include "lpot/distributed/messages.h"

namespace lpot {
namespace {

// Passes the answers to the collector batch by batch, with the results that a single process would compute.
class OrderedCollector {
 public:
  OrderedCollector(const BatchProgram& program, const Runner& runner, BatchCollector& collector, BatchEncoder& encoder)
      : program_(program),
        full_batch_shapes_(runner.full_batch_shapes()),
        dispatch_(runner.dispatch()),
        collector_(collector),
        encoder_(encoder) {}

  // Returns false if no further answer is needed.
  bool add(std::span<const std::size_t> positions, std::string_view answer) {
    for (const EncodedBatch& batch : batches_from_bytes(answer)) {
      if (batch.count == 0 || batch.count > positions.size())
        throw DistributedError(kDamagedMessage.operation, kDamagedMessage.message);
      const auto of_batch = positions.first(batch.count);
      positions = positions.subspan(batch.count);
      const std::optional<std::string> again =
          run_again(of_batch, dispatch_.choose(batch.shapes), batch.compiled_shapes);
      collector_.add_encoded(of_batch, again ? *again : batch.bytes);
      if (collector_.is_complete()) return false;
    }
    return true;
  }

  const ShapeDispatch& dispatch() const { return dispatch_; }

 private:
  // `expected`: the compilation that one process would have used; `compiled_shapes`: the one that was used.
  std::optional<std::string> run_again(std::span<const std::size_t> positions, const Shapes& expected,
                                       const Shapes& compiled_shapes) {
    if (expected == compiled_shapes || compiled_shapes == full_batch_shapes_) return std::nullopt;
    LoadedBatch loaded =
        load_batch(*program_.loader.read({positions.begin(), positions.end()}).next(), program_, positions);
    auto run = runner().run_in(expected, loaded.inputs);
    if (!run) {  // The worker could not compile for these shapes either, so it used the dynamic compilation.
      dispatch_.cannot_compile(expected);
      return std::nullopt;
    }
    loaded.result.outputs = std::move(run->outputs);
    loaded.result.is_final = false;
    return encoder_.encode(std::move(loaded.result));
  }

  // Not the session's runner: that one runs the jobs of this process in another thread.
  Runner& runner() {
    if (!runner_) {
      RunnerOptions options = program_.runner;
      options.full_batch_shapes = full_batch_shapes_;
      options.streams = 1;
      runner_ = std::make_unique<Runner>(program_.model, program_.loader.dataset().input_naming(), options);
    }
    return *runner_;
  }

  const BatchProgram& program_;
  const Shapes full_batch_shapes_;
  ShapeDispatch dispatch_;
  BatchCollector& collector_;
  BatchEncoder& encoder_;
  std::unique_ptr<Runner> runner_;
};

// Encoders may keep the outputs of a batch, so they must be copies.
BatchProgram with_copied_outputs(BatchProgram program) {
  program.runner.borrow_outputs = false;
  return program;
}

// The positions of a pass, divided into jobs of whole batches.
class JobList {
 public:
  JobList(const BatchPass& pass, std::size_t batch_size)
      : positions_(pass.positions),
        per_job_(std::max<std::size_t>(1, pass.samples_per_job / batch_size) * batch_size) {}

  std::size_t size() const { return (positions_.size() + per_job_ - 1) / per_job_; }
  std::span<const std::size_t> operator[](std::size_t job) const {
    return positions_.subspan(job * per_job_, std::min(per_job_, positions_.size() - job * per_job_));
  }

 private:
  std::span<const std::size_t> positions_;
  std::size_t per_job_;
};

// If no batch ran before, the shapes of the first batch of the pass become the usual shapes in every process.
void set_usual_shapes(Runner& runner, const DataLoader& loader, std::span<const std::size_t> positions) {
  if (!runner.full_batch_shapes().empty()) return;
  const auto first = positions.first(std::min(loader.options().batch_size, positions.size()));
  runner.set_full_batch_shapes(loader.read({first.begin(), first.end()}).next()->inputs);
}

std::string order_bytes(nlohmann::json order, const Shapes& full_batch_shapes, const std::vector<int>& threads) {
  order["usual_shapes"] = full_batch_shapes;
  order["threads"] = threads;
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(order);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

CoordinatedSession::CoordinatedSession(Coordinator& coordinator, BatchProgram program)
    : coordinator_(coordinator), local_(with_copied_outputs(std::move(program))) {}

void CoordinatedSession::run(const BatchPass& pass, BatchCollector& collector, const Observer& observer) {
  // The steps of a sequence depend on each other, so workers could not share them.
  if (pass.in_this_process || !local_.program().model.state.empty())
    local_.run(pass, collector, observer);
  else if (!pass.positions.empty() && !collector.is_complete())
    share(pass, collector, observer);
}

void CoordinatedSession::share(const BatchPass& pass, BatchCollector& collector, const Observer& observer) {
  const BatchProgram& program = local_.program();
  Runner& runner = local_.runner();
  set_usual_shapes(runner, program.loader, pass.positions);
  const JobList jobs(pass, program.loader.options().batch_size);
  const std::unique_ptr<BatchEncoder> encoder = collector.make_encoder();
  OrderedCollector ordered(program, runner, collector, *encoder);
  Round round;
  round.order = order_bytes(collector.worker_order(), runner.full_batch_shapes(), coordinator_.all_threads());
  round.jobs = jobs.size();
  round.encode_job = [&](std::size_t job) { return job_to_bytes(jobs[job]); };
  round.local_task = [&](Jobs& local) { return run_batch_jobs(local, runner, program, *encoder); };
  round.collect = [&](std::size_t job, const std::string& answer) { return ordered.add(jobs[job], answer); };
  round.collect_summary = [&](const std::string& summary) { collector.add_summary(summary); };
  coordinator_.run(round, observer);
  runner.set_dispatch(ordered.dispatch());
}

}  // namespace lpot
