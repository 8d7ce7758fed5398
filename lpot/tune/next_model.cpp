#include "lpot/tune/next_model.h"

#include <algorithm>
#include <system_error>

#include "lpot/core/clock.h"

namespace lpot {

NextModel::BackgroundBuild::BackgroundBuild(Plan plan, Build build, std::vector<CompileOptions> requested)
    : plan_(std::move(plan)), pending_(requested) {
  std::promise<BuiltModel> promise;
  built_ = promise.get_future();
  thread_ =
      std::jthread([this, build = std::move(build), promise = std::move(promise), requested = std::move(requested)](
                       const std::stop_token& stop) mutable { run(stop, build, promise, requested); });
}

void NextModel::BackgroundBuild::run(const std::stop_token& stop, const Build& build, std::promise<BuiltModel>& promise,
                                     const std::vector<CompileOptions>& requested) {
  const auto done_with = [&](const CompileOptions& options, std::optional<Executable> executable) {
    const std::lock_guard lock(mutex_);
    pending_.erase(std::find(pending_.begin(), pending_.end(), options));
    if (executable) ready_.emplace_back(options, std::move(*executable));
    changed_.notify_all();
  };
  std::optional<Model> model;
  try {
    BuiltModel built = build();
    model = built.model;
    {
      const std::lock_guard lock(mutex_);
      graph_ = model->graph;
    }
    promise.set_value(std::move(built));
  } catch (...) {
    promise.set_exception(std::current_exception());
  }
  for (const CompileOptions& options : requested) {
    std::optional<Executable> executable;
    CompileOptions ahead = options;
    ahead.ahead = true;
    try {
      if (model && !stop.stop_requested()) executable.emplace(*model, ahead);
    } catch (const std::exception&) {  // the caller compiles it again and reports the error
    }
    done_with(options, std::move(executable));
  }
}

std::optional<Executable> NextModel::BackgroundBuild::acquire(const Model& model, const CompileOptions& options) {
  std::unique_lock lock(mutex_);
  if (model.graph != graph_) return std::nullopt;
  const auto start = Clock::now();
  auto found = ready_.end();
  changed_.wait(lock, [&] {
    found = std::find_if(ready_.begin(), ready_.end(), [&](const auto& ready) { return ready.first == options; });
    return found != ready_.end() || std::find(pending_.begin(), pending_.end(), options) == pending_.end();
  });
  count_as_compiling(seconds_since(start));
  if (found == ready_.end()) return std::nullopt;
  Executable executable = std::move(found->second);
  ready_.erase(found);
  return executable;
}

void NextModel::expect(const Step& step, Build build) { expected_ = Expected{step, std::move(build)}; }

std::optional<NextModel::BuiltModel> NextModel::acquire_model(const Plan& plan) {
  current_.reset();
  std::optional<BuiltModel> built;
  if (next_ && next_->plan() == plan) {
    current_ = std::move(next_);
    built = current_->wait();
  }
  next_.reset();
  if (expected_) begin();
  return built;
}

void NextModel::begin() {
  const Expected expected = *std::exchange(expected_, std::nullopt);
  const std::vector<CompileOptions>& requested = requested_.at(static_cast<std::size_t>(expected.step.kind));
  try {
    next_ = std::make_unique<BackgroundBuild>(expected.step.plan, expected.build, requested);
  } catch (const std::system_error&) {  // no more threads: the model is built when it is needed
  }
}

void NextModel::set_running(Step::Kind kind) {
  running_ = kind;
  requested_.at(static_cast<std::size_t>(kind)).clear();
}

std::optional<Executable> NextModel::acquire(const Model& model, const CompileOptions& options) {
  requested_.at(static_cast<std::size_t>(running_)).push_back(options);
  return current_ ? current_->acquire(model, options) : std::nullopt;
}

}  // namespace lpot
