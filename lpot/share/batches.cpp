#include "lpot/share/batches.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "lpot/core/error.h"
#include "lpot/share/messages.h"

namespace lpot {
namespace {

using Json = nlohmann::json;

std::vector<NanInput> nans_of(const Batch& batch, const Digest& digest) {
  return digest.wants_nans ? find_nans(batch.inputs) : std::vector<NanInput>{};
}

// A process's jobs, the next ones already being read while the ones before run.
class Worker {
 public:
  Worker(Jobs& jobs, Runner& runner, const DataLoader& loader, const Digest& digest)
      : jobs_(jobs), runner_(runner), loader_(loader), digest_(digest) {}

  std::string work() {
    while (true) {
      if (open_.empty()) {
        auto job = jobs_.next(true);
        if (!job) break;
        open(std::move(*job));
      }
      try {
        runner_.run_telling_how([this] { return next_batch(); }, [this](Ran ran) { take(std::move(ran)); });
      } catch (...) {
        fail(std::current_exception());
      }
      if (jobs_.is_over()) break;
    }
    return digest_.last ? digest_.last() : "";
  }

 private:
  // What waits for a batch that runs.
  struct Running {
    std::vector<Tensor> labels;
    std::vector<NanInput> nans;
  };
  struct Open {
    Job job;
    std::vector<std::size_t> positions;
    BatchStream batches;
    std::size_t read = 0, answered = 0;  // samples
    std::deque<Running> running = {};
    ByteWriter answer = {};
  };

  void open(Job job) {
    std::vector<std::size_t> positions = ByteReader(job.bytes, kGarbled).numbers<std::size_t>();
    BatchStream batches = loader_.read(positions);
    open_.push_back({std::move(job), std::move(positions), std::move(batches)});
  }

  // Nothing where no further job has come: what runs is finished and told before one is waited for.
  std::optional<std::vector<Tensor>> next_batch() {
    while (auto job = jobs_.next(false)) open(std::move(*job));
    if (jobs_.is_over()) return std::nullopt;
    const auto unread =
        std::find_if(open_.begin(), open_.end(), [](const Open& job) { return job.read < job.positions.size(); });
    if (unread == open_.end()) return std::nullopt;
    reading_ = &*unread;
    auto batch = unread->batches.next();
    reading_ = nullptr;
    unread->read += batch->count();
    unread->running.push_back({std::move(batch->labels), nans_of(*batch, digest_)});
    return std::move(batch->inputs);
  }

  void take(Ran ran) {
    Open& job = open_.front();
    const bool is_certain = ran.route == runner_.usual();
    Running& running = job.running.front();
    RanBatch batch{std::move(ran.outputs), std::move(running.labels), job.positions[job.answered], is_certain,
                   std::move(running.nans)};
    job.running.pop_front();
    const std::size_t count = batch.labels.size();
    job.answer.number<std::uint64_t>(count);
    write(job.answer, ran.shapes);
    write(job.answer, ran.route);
    job.answer.text(digest_.of_batch(std::move(batch)));
    job.answered += count;
    if (job.answered < job.positions.size()) return;
    jobs_.answer(job.job.number, job.answer.take());
    open_.pop_front();
  }

  // The job that failed is told; the others that were under way begin again.
  void fail(std::exception_ptr error) {
    if (open_.empty()) std::rethrow_exception(error);
    const auto failed = std::find_if(open_.begin(), open_.end(), [&](const Open& job) { return &job == reading_; });
    const auto culprit = failed == open_.end() ? open_.begin() : failed;
    reading_ = nullptr;
    const std::size_t number = culprit->job.number;
    jobs_.fail(number, std::move(error));
    std::deque<Open> begun;
    begun.swap(open_);
    for (Open& job : begun)
      if (job.job.number != number) open(std::move(job.job));
  }

  Jobs& jobs_;
  Runner& runner_;
  const DataLoader& loader_;
  const Digest& digest_;
  std::deque<Open> open_;  // not answered, in order
  const Open* reading_ = nullptr;
};

// Rank 0 takes a job's answers: batch by batch, each as it would have run had one process run them all.
class Taker {
 public:
  Taker(const SharedBatches& shared) : shared_(shared), routes_(shared.runner.routes()) {}

  bool take(std::span<const std::size_t> positions, const std::string& answer) {
    ByteReader reader(answer, kGarbled);
    while (!reader.at_end()) {
      const std::size_t count = reader.number<std::uint64_t>();
      const Shapes shapes = read_shapes(reader), route = read_shapes(reader);
      const std::string_view digest = reader.view();
      if (count == 0 || count > positions.size()) reader.damaged();
      const auto of_batch = positions.first(count);
      positions = positions.subspan(count);
      const std::optional<std::string> again = run_again(of_batch, routes_.choose(shapes), route);
      if (!shared_.take(of_batch, again ? *again : digest)) return false;
    }
    return true;
  }

  const Routes& routes() const { return routes_; }

 private:
  std::optional<std::string> run_again(std::span<const std::size_t> positions, const Shapes& right,
                                       const Shapes& route) {
    if (right == route || route == shared_.runner.usual()) return std::nullopt;
    if (!runner_) {
      RunnerOptions options = shared_.options;
      options.usual = shared_.runner.usual();
      options.streams = 1;
      runner_ = std::make_unique<Runner>(shared_.model, shared_.loader.dataset().input_naming(), options);
    }
    auto batch = shared_.loader.read({positions.begin(), positions.end()}).next();
    auto ran = runner_->run_in(right, batch->inputs);
    if (!ran) {  // the other process found out as well, and took the open one
      routes_.cannot_compile(right);
      return std::nullopt;
    }
    return shared_.digest.of_batch(
        {std::move(ran->outputs), std::move(batch->labels), positions.front(), false, nans_of(*batch, shared_.digest)});
  }

  const SharedBatches& shared_;
  Routes routes_;
  std::unique_ptr<Runner> runner_;  // beside the one that works on this process's jobs
};

Json shapes_json(const Shapes& shapes) {
  Json json = Json::array();
  for (const Shape& shape : shapes) json.push_back(shape);
  return json;
}

}  // namespace

void share_batches(Crew& crew, Json order, SharedBatches shared, const Observer& observer) {
  const std::size_t batch_size = shared.loader.options().batch_size;
  const std::vector<std::size_t>& positions = shared.positions;
  if (positions.empty()) return;
  if (shared.runner.usual().empty()) {
    const auto first_end = positions.begin() + static_cast<std::ptrdiff_t>(std::min(batch_size, positions.size()));
    shared.runner.usual_from(shared.loader.read({positions.begin(), first_end}).next()->inputs);
  }
  order["usual"] = shapes_json(shared.runner.usual());
  order["threads"] = crew.all_threads();
  const std::size_t per_job = std::max<std::size_t>(1, shared.samples_per_job / batch_size) * batch_size;
  const auto of_job = [&](std::size_t job) {
    return std::span(positions).subspan(job * per_job, std::min(per_job, positions.size() - job * per_job));
  };
  Taker taker(shared);
  Round round;
  const std::vector<std::uint8_t> encoded = Json::to_cbor(order);
  round.order = {encoded.begin(), encoded.end()};
  round.jobs = (positions.size() + per_job - 1) / per_job;
  round.job = [&](std::size_t job) {
    const auto part = of_job(job);
    ByteWriter writer;
    writer.numbers(std::vector<std::size_t>(part.begin(), part.end()));
    return writer.take();
  };
  round.work = [&](Jobs& jobs) { return Worker(jobs, shared.runner, shared.loader, shared.digest).work(); };
  round.take = [&](std::size_t job, const std::string& answer) { return taker.take(of_job(job), answer); };
  round.take_last = shared.take_last;
  crew.run(round, observer);
  shared.runner.go_on_from(taker.routes());
}

Duty batch_work(const Json& order, int rank, const Model& model, const DataLoader& loader, RunnerOptions options,
                Digest digest) {
  if (options.threads == 0) options.threads = order.at("threads").at(static_cast<std::size_t>(rank)).get<int>();
  options.usual = order.at("usual").get<Shapes>();
  return [model, loader, options, digest](Jobs& jobs) {
    Runner runner(model, loader.dataset().input_naming(), options);
    return Worker(jobs, runner, loader, digest).work();
  };
}

Json model_for_order(const Model& model) {
  return {{"source", model.source.string()}, {"fingerprint", model.fingerprint}, {"recipe", model.recipe}};
}

}  // namespace lpot
