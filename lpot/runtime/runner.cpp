#include "lpot/runtime/runner.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <thread>

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

CompileOptions to_compile_options(const RunnerOptions& options) {
  const int threads =
      options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return {.threads = threads, .streams = options.streams > 0 ? options.streams : threads, .input_shapes = {}};
}

}  // namespace

Runner::Runner(const Model& model, const std::vector<std::string>& input_names, RunnerOptions options)
    : model_(model),
      fit_(model, input_names),
      compile_options_(to_compile_options(options)),
      may_fill_up_(options.fill_up) {}

Executable& Runner::executable_for(const Shapes& shapes) {
  if (const auto found = compiled_.find(shapes); found != compiled_.end()) return found->second;
  CompileOptions options = compile_options_;
  options.input_shapes = shapes;
  try {
    return compiled_.emplace(shapes, Executable(model_, options)).first->second;
  } catch (const ModelError&) {
    // Some graphs hold shapes that do not follow their inputs; as they are, they may still run.
    if (shapes.empty()) throw;
    return executable_for({});
  }
}

// A short last batch in the usual shape, when only the number of rows differs.
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
    if (shape != usual_[i]) return std::nullopt;
    filled.push_back(repeat_last(inputs[i], usual_[i][0]));
  }
  return filled;
}

void Runner::run(const Source& source, const Sink& sink) {
  // What was filled up is cut again when its outputs come.
  struct Pending {
    std::size_t rows = 0;
    std::size_t filled_rows = 0;
  };
  std::deque<Pending> pending;
  std::optional<std::vector<Tensor>> next;
  const auto fetch = [&] {
    next = source();
    if (next) next = fit_.apply(*next);
  };
  const auto cut_and_sink = [&](std::vector<Tensor> outputs) {
    const Pending job = pending.front();
    pending.pop_front();
    if (job.rows != job.filled_rows)
      for (Tensor& output : outputs)
        if (!output.shape().empty() && output.shape()[0] == job.filled_rows) output = head(output, job.rows);
    sink(std::move(outputs));
  };

  fetch();
  while (next) {
    if (usual_.empty()) usual_ = shapes_of(*next);
    const auto filled = fill_up(*next);
    Shapes key = shapes_of(filled ? *filled : *next);
    if (!compiled_.contains(key) && compiled_.size() >= kMostShapes) key.clear();
    Executable& executable = executable_for(key);
    executable.infer_all(
        [&]() -> std::optional<std::vector<Tensor>> {
          if (!next) return std::nullopt;
          auto full = fill_up(*next);
          if (!key.empty() && shapes_of(full ? *full : *next) != key) return std::nullopt;
          const auto rows_of = [](const std::vector<Tensor>& tensors) {
            return tensors[0].shape().empty() ? 0 : tensors[0].shape()[0];
          };
          pending.push_back({rows_of(*next), rows_of(full ? *full : *next)});
          std::vector<Tensor> inputs = full ? std::move(*full) : std::move(*next);
          fetch();
          return inputs;
        },
        cut_and_sink);
  }
}

}  // namespace lpot
