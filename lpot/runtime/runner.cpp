#include "lpot/runtime/runner.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "lpot/core/cpu.h"
#include "lpot/core/error.h"

namespace lpot {
namespace {

constexpr std::size_t kMostShapes = 8;

std::vector<Shape> shapes_of(const std::vector<Tensor>& tensors) {
  std::vector<Shape> shapes;
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

// The tensor with its last row repeated until there are `rows`.
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

bool takes(const Model& model, const std::vector<Shape>& shapes) {
  const std::vector<Port> ports = model_inputs(model);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::vector<std::int64_t>& open = ports[i].shape;
    const bool fits = std::equal(
        open.begin(), open.end(), shapes[i].begin(), shapes[i].end(),
        [](std::int64_t wanted, std::size_t found) { return wanted < 0 || static_cast<std::size_t>(wanted) == found; });
    if (!fits) return false;
  }
  return true;
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
      may_fill_up_(options.fill_up),
      any_length_(naming.customary) {}

// The first shape, what came before, those of texts that were filled up to a few lengths, and what the model does not
// take as it is.
bool Runner::is_worth_compiling(const Shapes& shapes) {
  if (compiled_.size() >= kMostShapes) return false;
  return compiled_.empty() || fit_.has_few_lengths() || !seen_.insert(shapes).second || !takes(model_, shapes);
}

Executable& Runner::executable_for(Shapes shapes) {
  if (only_dynamic_ || (!compiled_.contains(shapes) && !is_worth_compiling(shapes))) shapes.clear();
  if (const auto found = compiled_.find(shapes); found != compiled_.end()) return found->second;
  CompileOptions options = compile_options_;
  options.input_shapes = shapes;
  try {
    return compiled_.emplace(shapes, Executable(model_, options)).first->second;
  } catch (const ModelError&) {
    // Some graphs hold shapes that do not follow their inputs; as they are, they may still run.
    if (shapes.empty()) throw;
    only_dynamic_ = true;
    return executable_for({});
  }
}

// A short last batch with the usual number of rows, when only that differs; text may have any length beside it.
std::optional<std::vector<Tensor>> Runner::fill_up(const std::vector<Tensor>& inputs) const {
  if (!may_fill_up_ || usual_.size() != inputs.size()) return std::nullopt;
  const std::size_t rows = inputs[0].shape().empty() ? 0 : inputs[0].shape()[0];
  std::vector<Tensor> filled;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Shape shape = inputs[i].shape();
    if (shape.empty() || shape[0] != rows || rows == 0 || usual_[i].empty() || usual_[i][0] <= rows ||
        usual_[i][0] != usual_[0][0])
      return std::nullopt;
    shape[0] = usual_[i][0];
    if (!any_length_ && shape != usual_[i]) return std::nullopt;
    filled.push_back(repeat_last(inputs[i], usual_[i][0]));
  }
  return filled;
}

void Runner::run(const Source& source, const Sink& sink) {
  struct Running {
    Executable* executable;
    std::size_t rows;         // of the batch
    std::size_t filled_rows;  // that run; the others are cut from the outputs again
  };
  std::deque<Running> running;
  const auto rows_of = [](const std::vector<Tensor>& tensors) {
    return tensors.empty() || tensors[0].shape().empty() ? 0 : tensors[0].shape()[0];
  };
  const auto finish_one = [&] {
    const Running job = running.front();
    running.pop_front();
    std::vector<Tensor> outputs = job.executable->finish();
    if (job.rows != job.filled_rows)
      for (Tensor& output : outputs)
        if (!output.shape().empty() && output.shape()[0] == job.filled_rows) output = head(output, job.rows);
    sink(std::move(outputs));
  };
  try {
    while (const auto batch = source()) {
      std::vector<Tensor> inputs = fit_.apply(*batch);
      if (usual_.empty()) usual_ = shapes_of(inputs);
      const std::size_t rows = rows_of(inputs);
      if (auto filled = fill_up(inputs)) inputs = std::move(*filled);
      Executable& executable = executable_for(shapes_of(inputs));
      if (running.size() == static_cast<std::size_t>(compile_options_.streams)) finish_one();
      running.push_back({&executable, rows, rows_of(inputs)});
      executable.start(std::move(inputs));
    }
    while (!running.empty()) finish_one();
  } catch (...) {
    for (auto& [shapes, executable] : compiled_) executable.abandon();
    throw;
  }
}

}  // namespace lpot
