#include "lpot/runtime/compiled_models.h"

#include <algorithm>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"
#include "lpot/core/large_models.h"

namespace lpot {

CompiledModels::CompiledModels(const std::vector<Tensor>& sample, std::optional<int> threads)
    : sample_(sample), threads_(threads) {}

std::shared_ptr<Executable> CompiledModels::find(const Model& model, bool with_profiler) {
  const auto known = std::find_if(cache_.begin(), cache_.end(), [&](const Entry& entry) {
    return entry.graph == model.graph && entry.precision == model.precision && entry.has_profiler == with_profiler;
  });
  if (known == cache_.end()) return nullptr;
  std::rotate(known, known + 1, cache_.end());
  return cache_.back().executable;
}

std::shared_ptr<Executable> CompiledModels::compile(const Model& model, bool with_profiler, int threads) const {
  CompileOptions options{.threads = threads, .profile = with_profiler};
  for (const Tensor& input : sample_) options.input_shapes.push_back(input.shape());
  try {
    return std::make_shared<Executable>(model, options);
  } catch (const ModelError&) {
    options.input_shapes.clear();
    return std::make_shared<Executable>(model, options);
  }
}

bool CompiledModels::is_short(Executable& on_one_core) const {
  try {
    on_one_core.infer(sample_);  // warm-up
    const double before = thread_cpu_ms();
    on_one_core.infer(sample_);
    return thread_cpu_ms() - before < kShortInference;
  } catch (const DataError&) {  // the model does not accept the sample
    return false;
  }
}

std::shared_ptr<Executable> CompiledModels::get(const Model& model, bool with_profiler) {
  if (auto known = find(model, with_profiler)) return known;
  std::shared_ptr<Executable> executable;
  if (!threads_ && model.size_bytes < kLargeModel) {
    executable = compile(model, with_profiler, 1);
    if (is_short(*executable)) threads_ = 1;
  }
  if (!threads_) threads_ = 0;
  if (!executable || threads_ != 1) {
    executable.reset();
    executable = compile(model, with_profiler, *threads_);
  }
  cache_.push_back({model.graph, model.precision, with_profiler, executable});
  return executable;
}

std::vector<std::shared_ptr<Executable>> CompiledModels::only(const std::vector<const Model*>& models,
                                                              bool with_profiler) {
  std::vector<std::shared_ptr<Executable>> executables;
  for (const Model* model : models) executables.push_back(find(*model, with_profiler));
  release_unused(0);
  for (std::size_t i = 0; i < models.size(); ++i)
    if (!executables[i]) executables[i] = get(*models[i], with_profiler);
  return executables;
}

void CompiledModels::release_unused(std::size_t except) {
  std::size_t unused = 0;
  const auto is_released = [&](const Entry& one) { return one.executable.use_count() == 1 && ++unused > except; };
  std::deque<Entry> remaining;
  for (auto one = cache_.rbegin(); one != cache_.rend(); ++one)
    if (!is_released(*one)) remaining.push_front(std::move(*one));
  cache_ = std::move(remaining);
  release_freed_memory();
}

}  // namespace lpot
