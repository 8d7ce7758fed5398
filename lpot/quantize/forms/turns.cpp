#include "lpot/quantize/forms/turns.h"

#include <algorithm>

#include "lpot/core/clock.h"
#include "lpot/core/memory.h"
#include "lpot/quantize/forms/choose.h"
#include "lpot/runtime/latency.h"

namespace lpot {
namespace {

constexpr std::size_t kFewestRuns = 5;

bool is_large(const Model& model) { return model.size_bytes >= kLargeModel; }

}  // namespace

Turns::Turns(const std::vector<Tensor>& inputs, const std::map<std::string, std::string>& owners, int threads,
             const Observer& observer)
    : inputs_(inputs), owners_(owners), threads_(threads), observer_(observer) {}

Executable& Turns::compiled(const Model& model, std::size_t others) {
  const auto known =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.graph == model.graph; });
  if (known != kept_.end()) {
    std::rotate(known, known + 1, kept_.end());
    return kept_.back().executable;
  }
  while (kept_.size() > others) kept_.pop_front();
  release_freed_memory();
  CompileOptions options{.threads = threads_, .profile = true};
  for (const Tensor& input : inputs_) options.input_shapes.push_back(input.shape());
  kept_.push_back({model.graph, Executable(model, options)});
  return kept_.back().executable;
}

std::vector<Times> Turns::profile(const std::vector<Executable*>& models, double seconds) {
  std::vector<std::map<std::string, std::vector<double>>> runs(models.size());
  const auto start = Clock::now();
  for (std::size_t round = 0; round < kFewestRuns + 1 || seconds_since(start) < seconds; ++round)
    for (std::size_t i = 0; i < models.size(); ++i) {
      observer_.check_stop();
      models[i]->infer(inputs_);
      models[i]->infer(inputs_);  // the first brings it back into the cache
      if (round == 0) continue;
      const std::vector<ExecutedOp> executed = models[i]->executed_ops();
      for (const auto& [op, time] : times_by_owner(executed, owners_)) runs[i][op].push_back(time);
      double sum = 0;
      for (const ExecutedOp& op : executed) sum += op.time_ms;
      runs[i][kAllKernels].push_back(sum);
    }
  std::vector<Times> medians(models.size());
  for (std::size_t i = 0; i < models.size(); ++i)
    for (auto& [op, times] : runs[i]) medians[i][op] = summarize(std::move(times)).median_ms;
  return medians;
}

std::vector<Times> Turns::profile(const Model& first, const std::function<const Model&()>& second, double seconds) {
  if (is_large(first)) {
    std::vector<Times> times = profile({&compiled(first, 0)}, seconds);
    kept_.clear();
    times.push_back(profile({&compiled(second(), 0)}, seconds).front());
    kept_.clear();
    return times;
  }
  compiled(first, 1);
  compiled(second(), 1);
  return profile({&kept_[kept_.size() - 2].executable, &kept_.back().executable}, seconds);
}

std::vector<double> Turns::time_whole(const std::vector<const Model*>& models, double seconds) {
  std::vector<double> medians;
  const auto time = [&](std::vector<Contender> contenders) {
    for (const Latency& latency : measure_latency(std::move(contenders), {.seconds = seconds}))
      medians.push_back(latency.median_ms);
  };
  if (is_large(*models.front())) {
    for (const Model* model : models) {
      time({{compiled(*model, 0), {inputs_}}});
      kept_.clear();
    }
    return medians;
  }
  for (const Model* model : models) compiled(*model, models.size() - 1);
  std::vector<Contender> contenders;
  for (std::size_t i = kept_.size() - models.size(); i < kept_.size(); ++i)
    contenders.emplace_back(kept_[i].executable, std::vector<std::vector<Tensor>>{inputs_});
  time(std::move(contenders));
  while (kept_.size() > 2) kept_.pop_front();
  return medians;
}

}  // namespace lpot
