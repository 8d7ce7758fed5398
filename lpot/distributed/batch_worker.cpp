#include "lpot/distributed/batch_worker.h"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>

#include "lpot/distributed/local_session.h"
#include "lpot/distributed/messages.h"

namespace lpot {
namespace {

// Reads the batches of the next jobs while those of earlier jobs run.
class BatchWorker {
 public:
  BatchWorker(Jobs& jobs, Runner& runner, const BatchProgram& program, BatchEncoder& encoder)
      : jobs_(jobs), runner_(runner), program_(program), encoder_(encoder) {}

  std::string run() {
    while (wait_for_job()) {
      try {
        runner_.run_batches([this] { return next_inputs(); }, [this](BatchRun run) { answer(std::move(run)); });
      } catch (...) {
        fail(std::current_exception());
      }
      if (jobs_.is_over()) break;
    }
    return encoder_.summary();
  }

 private:
  struct OpenJob {
    Job job;
    std::vector<std::size_t> positions;
    BatchStream batches;
    std::size_t read = 0, answered = 0;  // samples
    std::deque<ExecutedBatch> running = {};
    ByteWriter answer = {};
  };

  bool wait_for_job() {
    if (!open_.empty()) return true;
    auto job = jobs_.next(true);
    if (job) open(std::move(*job));
    return job.has_value();
  }

  void open(Job job) {
    std::vector<std::size_t> positions = job_from_bytes(job.bytes);
    BatchStream batches = program_.loader.read(positions);
    open_.push_back({std::move(job), std::move(positions), std::move(batches)});
  }

  // Empty if no further job has arrived. The running batches are then answered before this process waits for a job.
  std::optional<std::vector<Tensor>> next_inputs() {
    while (auto job = jobs_.next(false)) open(std::move(*job));
    if (jobs_.is_over()) return std::nullopt;
    const auto job =
        std::find_if(open_.begin(), open_.end(), [](const OpenJob& open) { return open.read < open.positions.size(); });
    if (job == open_.end()) return std::nullopt;
    reading_ = &*job;
    auto batch = job->batches.next();
    reading_ = nullptr;
    LoadedBatch loaded = load_batch(std::move(*batch), program_, std::span(job->positions).subspan(job->read));
    job->read += loaded.result.positions.size();
    job->running.push_back(std::move(loaded.result));
    return std::move(loaded.inputs);
  }

  void answer(BatchRun run) {
    OpenJob& job = open_.front();
    ExecutedBatch batch = std::move(job.running.front());
    job.running.pop_front();
    const std::size_t count = batch.positions.size();
    batch.outputs = std::move(run.outputs);
    batch.is_final = run.compiled_shapes == runner_.full_batch_shapes();
    const std::string bytes = encoder_.encode(std::move(batch));
    write(job.answer, EncodedBatch{count, std::move(run.shapes), std::move(run.compiled_shapes), bytes});
    job.answered += count;
    if (job.answered < job.positions.size()) return;
    jobs_.answer(job.job.number, job.answer.release());
    open_.pop_front();
  }

  // Reports the job that failed and starts the other open jobs again.
  void fail(std::exception_ptr error) {
    if (open_.empty()) std::rethrow_exception(error);
    const auto read = std::find_if(open_.begin(), open_.end(), [&](const OpenJob& job) { return &job == reading_; });
    const std::size_t failed = (read == open_.end() ? open_.begin() : read)->job.number;
    reading_ = nullptr;
    jobs_.fail(failed, std::move(error));
    std::deque<OpenJob> interrupted;
    interrupted.swap(open_);
    for (OpenJob& job : interrupted)
      if (job.job.number != failed) open(std::move(job.job));
  }

  Jobs& jobs_;
  Runner& runner_;
  const BatchProgram& program_;
  BatchEncoder& encoder_;
  std::deque<OpenJob> open_;          // not answered, in order
  const OpenJob* reading_ = nullptr;  // the job whose batch is being read
};

}  // namespace

std::string run_batch_jobs(Jobs& jobs, Runner& runner, const BatchProgram& program, BatchEncoder& encoder) {
  return BatchWorker(jobs, runner, program, encoder).run();
}

WorkerTask make_batch_task(const nlohmann::json& order, int rank, BatchProgram program,
                           std::shared_ptr<BatchEncoder> encoder) {
  if (program.runner.threads == 0)
    program.runner.threads = order.at("threads").at(static_cast<std::size_t>(rank)).get<int>();
  program.runner.full_batch_shapes = order.at("usual_shapes").get<Shapes>();
  return [program = std::move(program), encoder = std::move(encoder)](Jobs& jobs) {
    Runner runner(program.model, program.loader.dataset().input_naming(), program.runner);
    return run_batch_jobs(jobs, runner, program, *encoder);
  };
}

nlohmann::json model_reference(const Model& model) {
  return {{"source", model.source.string()}, {"fingerprint", model.fingerprint}, {"derivation", model.derivation}};
}

std::string job_to_bytes(std::span<const std::size_t> positions) {
  ByteWriter writer;
  writer.numbers(std::vector<std::size_t>(positions.begin(), positions.end()));
  return writer.release();
}

std::vector<std::size_t> job_from_bytes(std::string_view bytes) {
  return ByteReader(bytes, kDamagedMessage).numbers<std::size_t>();
}

void write(ByteWriter& writer, const EncodedBatch& batch) {
  writer.number<std::uint64_t>(batch.count);
  write(writer, batch.shapes);
  write(writer, batch.compiled_shapes);
  writer.text(batch.bytes);
}

std::vector<EncodedBatch> batches_from_bytes(std::string_view answer) {
  ByteReader reader(answer, kDamagedMessage);
  std::vector<EncodedBatch> batches;
  while (!reader.at_end()) {
    EncodedBatch& batch = batches.emplace_back();
    batch.count = reader.number<std::uint64_t>();
    batch.shapes = read_shapes(reader);
    batch.compiled_shapes = read_shapes(reader);
    batch.bytes = reader.view();
  }
  return batches;
}

}  // namespace lpot
