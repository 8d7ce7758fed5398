#include "lpot/tune/next_model.h"

#include <algorithm>
#include <system_error>

#include "lpot/core/clock.h"

namespace lpot {

NextModel::Making::Making(Plan plan, Make make, std::vector<CompileOptions> wanted)
    : plan_(std::move(plan)), pending_(wanted) {
  std::promise<Made> promise;
  made_ = promise.get_future();
  thread_ = std::jthread([this, make = std::move(make), promise = std::move(promise), wanted = std::move(wanted)](
                             const std::stop_token& stop) mutable { work(stop, make, promise, wanted); });
}

void NextModel::Making::work(const std::stop_token& stop, const Make& make, std::promise<Made>& promise,
                             const std::vector<CompileOptions>& wanted) {
  const auto done_with = [&](const CompileOptions& options, std::optional<Executable> executable) {
    const std::lock_guard lock(mutex_);
    std::erase(pending_, options);
    if (executable) ready_.emplace_back(options, std::move(*executable));
    changed_.notify_all();
  };
  std::optional<Model> model;
  try {
    Made made = make();
    model = made.model;
    {
      const std::lock_guard lock(mutex_);
      graph_ = model->graph;
    }
    promise.set_value(std::move(made));
  } catch (...) {
    promise.set_exception(std::current_exception());
  }
  for (const CompileOptions& options : wanted) {
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

std::optional<Executable> NextModel::Making::take(const Model& model, const CompileOptions& options) {
  std::unique_lock lock(mutex_);
  if (model.graph != graph_) return std::nullopt;
  const auto start = Clock::now();
  changed_.wait(lock, [&] { return std::find(pending_.begin(), pending_.end(), options) == pending_.end(); });
  count_as_compiling(seconds_since(start));
  const auto found =
      std::find_if(ready_.begin(), ready_.end(), [&](const auto& ready) { return ready.first == options; });
  if (found == ready_.end()) return std::nullopt;
  Executable executable = std::move(found->second);
  ready_.erase(found);
  return executable;
}

void NextModel::expect(const Step& step, Make make) { expected_ = Expected{step, std::move(make)}; }

std::optional<NextModel::Made> NextModel::take(const Plan& plan) {
  present_.reset();
  std::optional<Made> made;
  if (next_ && next_->plan() == plan) {
    present_ = std::move(next_);
    made = present_->take();
  }
  next_.reset();
  if (expected_) begin();
  return made;
}

void NextModel::begin() {
  const Expected expected = *std::exchange(expected_, std::nullopt);
  const std::vector<CompileOptions>& wanted = asked_.at(static_cast<std::size_t>(expected.step.kind));
  try {
    next_ = std::make_unique<Making>(expected.step.plan, expected.make, wanted);
  } catch (const std::system_error&) {  // no more threads: the model is built when it is needed
  }
}

void NextModel::runs(Step::Kind kind) {
  running_ = kind;
  asked_.at(static_cast<std::size_t>(kind)).clear();
}

std::optional<Executable> NextModel::take(const Model& model, const CompileOptions& options) {
  asked_.at(static_cast<std::size_t>(running_)).push_back(options);
  return present_ ? present_->take(model, options) : std::nullopt;
}

}  // namespace lpot
