#include "lpot/runtime/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>

#include "lpot/core/clock.h"
#include "lpot/core/cpu.h"
#include "lpot/core/error.h"
#include "lpot/model/reshape.h"

namespace lpot {
namespace {

constexpr int kMaxCompilations = 4;      // until all streams agree
constexpr double kCheckSeconds = 0.005;  // long enough that every stream runs a short inference
constexpr int kMaxRounds = 16;           // of a check

Shapes shapes_of(const std::vector<Tensor>& tensors) {
  Shapes shapes;
  for (const Tensor& tensor : tensors) shapes.push_back(tensor.shape());
  return shapes;
}

// The first `rows` rows of a tensor.
Tensor head(const Tensor& tensor, std::size_t rows) {
  Shape shape = tensor.shape();
  shape[0] = rows;
  Tensor result(tensor.element_type(), shape);
  std::memcpy(result.bytes(), tensor.bytes(), result.byte_size());
  return result;
}

// The tensor with `rows` rows; the last row is repeated.
Tensor repeat_last(const Tensor& tensor, std::size_t rows) {
  Shape shape = tensor.shape();
  const std::size_t have = shape[0];
  shape[0] = rows;
  Tensor result(tensor.element_type(), shape);
  std::memcpy(result.bytes(), tensor.bytes(), tensor.byte_size());
  const std::size_t row_bytes = tensor.byte_size() / have;
  for (std::size_t row = have; row < rows; ++row)
    std::memcpy(result.bytes() + row * row_bytes, tensor.bytes() + (have - 1) * row_bytes, row_bytes);
  return result;
}

std::size_t rows_of(const std::vector<Tensor>& tensors) {
  return tensors.empty() || tensors[0].shape().empty() ? 0 : tensors[0].shape()[0];
}

// Removes the padding rows from the outputs.
void remove_padding(std::vector<Tensor>& outputs, std::size_t rows, std::size_t padded_rows) {
  if (rows == padded_rows) return;
  for (Tensor& output : outputs)
    if (!output.shape().empty() && output.shape()[0] == padded_rows) output = head(output, rows);
}

// Whether two tensors are equal up to rounding differences of kernels.
bool nearly_equal(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.element_type() != b.element_type()) return false;
  if (std::memcmp(a.bytes(), b.bytes(), a.byte_size()) == 0) return true;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::isfinite(a.value_at(i))) largest = std::max(largest, std::fabs(a.value_at(i)));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double one = a.value_at(i), other = b.value_at(i);
    const bool is_same = one == other || (std::isnan(one) && std::isnan(other));
    if (!is_same && !(std::fabs(one - other) <= 1e-3 * largest)) return false;
  }
  return true;
}

struct StreamCheck {
  std::vector<Tensor> outputs;  // of one stream
  bool agree = true;
};

StreamCheck run_in_all_streams(Executable& executable, int streams, const std::vector<Tensor>& inputs) {
  StreamCheck check;
  const auto start = Clock::now();
  for (int round = 0; check.agree && round < kMaxRounds && (round == 0 || seconds_since(start) < kCheckSeconds);
       ++round) {
    check.outputs.clear();
    for (int i = 0; i < streams; ++i) executable.start(inputs);
    check.outputs = executable.finish();
    for (int i = 1; i < streams; ++i) {
      const std::vector<Tensor> others = executable.finish();
      check.agree = check.agree &&
                    std::equal(others.begin(), others.end(), check.outputs.begin(), check.outputs.end(), nearly_equal);
    }
  }
  return check;
}

CompileOptions to_compile_options(const RunnerOptions& options) {
  const int threads = thread_count(options.threads);
  return {.threads = threads,
          .streams = options.streams > 0 ? options.streams : threads,
          .input_shapes = {},
          .borrow_outputs = options.borrow_outputs};
}

}  // namespace

Runner::Runner(const Model& model, const InputNaming& naming, RunnerOptions options)
    : model_(model),
      fit_(model, naming),
      compile_options_(to_compile_options(options)),
      ahead_(options.ahead),
      observer_(options.observer),
      pads_last_batch_(options.pad_last_batch),
      any_length_(naming.names_are_hints),
      dispatch_(model, fit_.has_few_lengths()),
      full_batch_shapes_(std::move(options.full_batch_shapes)) {
  if (!full_batch_shapes_.empty()) dispatch_.choose(full_batch_shapes_);
}

// Null if the model does not compile for static shapes.
Executable* Runner::compiled(const Shapes& compiled_shapes) {
  if (const auto found = compiled_.find(compiled_shapes); found != compiled_.end()) return &found->second;
  CompileOptions options = compile_options_;
  options.input_shapes = compiled_shapes;
  try {
    if (ahead_)
      if (auto made = ahead_->acquire(model_, options))
        return &compiled_.emplace(compiled_shapes, std::move(*made)).first->second;
    return &compiled_.emplace(compiled_shapes, Executable(model_, options)).first->second;
  } catch (const ModelError&) {
    // Some graphs contain fixed shapes that do not depend on their inputs. They may still run with dynamic shapes.
    if (compiled_shapes.empty() || !accepts_shapes(model_, compiled_shapes)) throw;
    static_error_ = std::current_exception();
    return nullptr;
  }
}

std::pair<Executable*, Shapes> Runner::executable_for(const Shapes& shapes) {
  const Shapes compiled_shapes = dispatch_.choose(shapes);
  if (Executable* found = compiled(compiled_shapes)) return {found, compiled_shapes};
  dispatch_.cannot_compile(compiled_shapes);
  return {compiled({}), {}};
}

// Pads a short last batch to the usual number of rows. Other dimensions must match, except for the length of texts.
std::optional<std::vector<Tensor>> Runner::pad_rows(const std::vector<Tensor>& inputs) const {
  if (!pads_last_batch_ || full_batch_shapes_.size() != inputs.size()) return std::nullopt;
  const std::size_t rows = inputs[0].shape().empty() ? 0 : inputs[0].shape()[0];
  std::vector<Tensor> padded;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Shape shape = inputs[i].shape();
    if (shape.empty() || shape[0] != rows || rows == 0 || full_batch_shapes_[i].empty() ||
        full_batch_shapes_[i][0] <= rows || full_batch_shapes_[i][0] != full_batch_shapes_[0][0])
      return std::nullopt;
    shape[0] = full_batch_shapes_[i][0];
    if (!any_length_ && shape != full_batch_shapes_[i]) return std::nullopt;
    padded.push_back(repeat_last(inputs[i], full_batch_shapes_[i][0]));
  }
  return padded;
}

Runner::Prepared Runner::prepare(const RunnerStep& step) {
  Prepared prepared{fit_.apply(step.inputs, step.state)};
  if (full_batch_shapes_.empty()) full_batch_shapes_ = shapes_of(prepared.inputs);
  prepared.rows = rows_of(prepared.inputs);
  if (auto padded = pad_rows(prepared.inputs)) prepared.inputs = std::move(*padded);
  return prepared;
}

const Shapes& Runner::set_full_batch_shapes(const std::vector<Tensor>& batch) {
  if (full_batch_shapes_.empty()) {
    full_batch_shapes_ = shapes_of(fit_.apply(batch));
    dispatch_.choose(full_batch_shapes_);
  }
  return full_batch_shapes_;
}

std::optional<BatchRun> Runner::run_in(const Shapes& compiled_shapes, const std::vector<Tensor>& batch) {
  Prepared prepared = prepare({batch});
  Executable* executable = compiled(compiled_shapes);
  if (!executable) return std::nullopt;
  BatchRun run{executable->infer(prepared.inputs), shapes_of(prepared.inputs), compiled_shapes};
  remove_padding(run.outputs, prepared.rows, rows_of(prepared.inputs));
  return run;
}

void Runner::log(LogLevel level, const std::string& message) const {
  if (observer_) observer_->log(level, message);
}

// If the dynamic compilation fails too, the error of the static one is thrown, because it names the op with the fixed
// shape.
void Runner::rethrow_static_error(const Shapes& compiled_shapes) const {
  if (compiled_shapes.empty() && static_error_) std::rethrow_exception(static_error_);
}

// Runs the first batch of a compilation in all streams. Compiles the model again as long as the streams do not agree.
std::vector<Tensor> Runner::check(const Shapes& compiled_shapes, const std::vector<Tensor>& inputs) {
  for (int attempt = 1;; ++attempt) {
    Executable* executable = compiled(compiled_shapes);
    if (!executable)
      throw ModelError("infer", "the second compilation of the model failed, although the first one succeeded");
    StreamCheck streams;
    try {
      streams = run_in_all_streams(*executable, compile_options_.streams, inputs);
    } catch (const DataError&) {
      rethrow_static_error(compiled_shapes);
      throw;
    }
    if (streams.agree || attempt == kMaxCompilations) {
      checked_.insert(compiled_shapes);
      if (!streams.agree)
        log(LogLevel::Warning,
            fmt::format(
                "the model gave different outputs for the same samples after {} compilations; it contains random "
                "operations, so its accuracy is not exact",
                attempt));
      return std::move(streams.outputs);
    }
    log(LogLevel::Info,
        "the streams of OpenVINO gave different outputs for the same samples; compiling the model again");
    compiled_.erase(compiled_shapes);
  }
}

void Runner::run(const Source& source, const Sink& sink) {
  run_batches(source, [&](BatchRun run) { sink(std::move(run.outputs)); });
}

void Runner::run_batches(const Source& source, const BatchRunSink& sink) {
  const auto next = [&]() -> std::optional<RunnerStep> {
    auto batch = source();
    return batch ? std::optional(RunnerStep{std::move(*batch)}) : std::nullopt;
  };
  run_all({[] { return true; }, next}, sink);
}

void Runner::run_steps(const StepSource& source, const Sink& sink) {
  run_all(source, [&](BatchRun run) { sink(std::move(run.outputs)); });
}

void Runner::run_all(const StepSource& source, const BatchRunSink& sink) {
  struct Running {
    Executable* executable;
    std::size_t rows;  // without padding
    BatchRun run;
  };
  std::deque<Running> running;
  const auto finish_one = [&] {
    Running job = std::move(running.front());
    running.pop_front();
    try {
      job.run.outputs = job.executable->finish();
    } catch (const DataError&) {
      rethrow_static_error(job.run.compiled_shapes);
      throw;
    }
    const Shapes& shapes = job.run.shapes;
    remove_padding(job.run.outputs, job.rows, shapes.empty() || shapes[0].empty() ? 0 : shapes[0][0]);
    sink(std::move(job.run));
  };
  try {
    while (true) {
      while (!running.empty() && !source.is_ready()) finish_one();
      const auto step = source.next();
      if (!step) break;
      Prepared prepared = prepare(*step);
      Shapes shapes = shapes_of(prepared.inputs);
      auto [executable, compiled_shapes] = executable_for(shapes);
      if (!is_checked(compiled_shapes)) {
        while (!running.empty()) finish_one();
        BatchRun run{check(compiled_shapes, prepared.inputs), std::move(shapes), std::move(compiled_shapes)};
        remove_padding(run.outputs, prepared.rows, rows_of(prepared.inputs));
        sink(std::move(run));
        continue;
      }
      if (running.size() == static_cast<std::size_t>(compile_options_.streams)) finish_one();
      running.push_back({executable, prepared.rows, {{}, std::move(shapes), std::move(compiled_shapes)}});
      executable->start(std::move(prepared.inputs));
    }
    while (!running.empty()) finish_one();
  } catch (...) {
    for (auto& [shapes, executable] : compiled_) executable.abandon();
    throw;
  }
}

}  // namespace lpot
