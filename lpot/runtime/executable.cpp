#include "lpot/runtime/executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <openvino/openvino.hpp>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"
#include "lpot/model/openvino_error.h"
#include "lpot/model/reshape.h"
#include "lpot/model/subprocess_convert.h"
#include "lpot/runtime/executed_graph.h"
#include "lpot/runtime/ov_tensor.h"
#include "lpot/runtime/parts.h"

namespace lpot {
namespace {

ov::element::Type to_ov(InferencePrecision precision) {
  if (precision == InferencePrecision::Bf16) return ov::element::bf16;
  return precision == InferencePrecision::F16 ? ov::element::f16 : ov::element::f32;
}

ov::AnyMap properties(InferencePrecision precision, const CompileOptions& options) {
  // Without the precision hint, a CPU with bf16 units would run f32 models in bf16.
  ov::AnyMap map{ov::hint::inference_precision(to_ov(precision)), ov::num_streams(ov::streams::Num(options.streams)),
                 ov::hint::enable_cpu_pinning(false)};
  if (options.threads > 0) map.emplace(ov::inference_num_threads(options.threads));
  if (options.profile) map.emplace(ov::enable_profiling(true));
  return map;
}

std::atomic<double> seconds_compiling = 0, seconds_inferring = 0;

class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<double>& total) : total_(total) {}
  ~Stopwatch() { total_ += seconds_since(start_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::atomic<double>& total_;
  Clock::time_point start_ = Clock::now();
};

// The requests of all parts of a graph. Each part starts the next one when it is done. Variables of the graph
// (ReadValue) have their initial values in each inference.
class Request {
 public:
  Request(const GraphParts& cut, std::vector<ov::CompiledModel>& compiled, bool has_variables)
      : cut_(&cut), has_variables_(has_variables) {
    for (ov::CompiledModel& part : compiled) parts_.push_back(part.create_infer_request());
  }

  void start(const std::vector<Tensor>& inputs) {
    inputs_ = &inputs;
    start_part(0);
  }

  bool has_one_part() const { return parts_.size() == 1; }

  // The same in two steps, for a request of one part, which runs in this thread.
  void set_inputs(const std::vector<Tensor>& inputs) {
    inputs_ = &inputs;
    set_inputs_of(0);
  }
  void run() { parts_.front().infer(); }

  // When the wait for a part returns, the part has already started the next one.
  void wait() {
    for (ov::InferRequest& part : parts_) part.wait();
  }

  ov::Tensor output(std::size_t index) {
    const GraphPart::Source& source = cut_->outputs[index];
    return parts_[source.part].get_output_tensor(source.index);
  }

  std::vector<ov::ProfilingInfo> profile() const {
    std::vector<ov::ProfilingInfo> kernels;
    for (const ov::InferRequest& part : parts_) {
      const std::vector<ov::ProfilingInfo> more = part.get_profiling_info();
      kernels.insert(kernels.end(), more.begin(), more.end());
    }
    return kernels;
  }

 private:
  void set_inputs_of(std::size_t number) {
    if (has_variables_) parts_[number].reset_state();
    const std::vector<GraphPart::Source>& sources = cut_->parts[number].inputs;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto& [part, index] = sources[i];
      parts_[number].set_input_tensor(i, part == GraphPart::Source::kInputs ? to_ov_tensor(inputs_->at(index))
                                                                            : parts_[part].get_output_tensor(index));
    }
  }

  void start_part(std::size_t number) {
    ov::InferRequest& request = parts_[number];
    set_inputs_of(number);
    if (number + 1 < parts_.size())
      request.set_callback([this, number](const std::exception_ptr& error) {
        if (!error) start_part(number + 1);
      });
    request.start_async();
  }

  const GraphParts* cut_;
  bool has_variables_;
  std::vector<ov::InferRequest> parts_;
  const std::vector<Tensor>* inputs_ = nullptr;
};

}  // namespace

void count_as_compiling(double seconds) { seconds_compiling += seconds; }

RuntimeSeconds runtime_seconds() { return {seconds_compiling, seconds_inferring}; }

struct Executable::State {
  struct Running {
    Request* request;
    std::vector<Tensor> inputs;  // must stay alive until the request has read them
  };

  GraphParts cut;  // usually one part
  std::vector<ov::CompiledModel> compiled;
  std::vector<std::shared_ptr<ov::Model>> bodies;  // of control flow
  ov::AnyMap body_properties;                      // to compile bodies
  std::deque<Request> requests;                    // a deque does not move its elements
  std::size_t inputs = 0;
  std::deque<Running> running;
  Clock::time_point busy_since;  // if any request is running
  std::size_t started = 0;
  bool has_static_shapes = false;
  bool borrow_outputs = false;
  std::vector<Tensor> read;          // inputs of the last inference; an output may share their memory
  std::vector<ExecutedOp> executed;  // filled on the first use
  std::optional<std::vector<ExecutedOp>> executed_in_bodies;

  ~State() { abandon(); }

  void compile(GraphParts graph, InferencePrecision precision, const CompileOptions& options) {
    cut = std::move(graph);
    compiled.clear();
    ov::Core core;
    for (GraphPart& part : cut.parts)
      compiled.push_back(core.compile_model(std::exchange(part.graph, nullptr), "CPU", properties(precision, options)));
    check_precision_of(compiled.front(), precision);
  }

  // The plug-in may silently use another precision: on CPUs without f16 units, an f16 hint results in bf16.
  static void check_precision_of(const ov::CompiledModel& model, InferencePrecision wanted) {
    const ov::element::Type used = model.get_property(ov::hint::inference_precision);
    if (used != to_ov(wanted))
      throw ModelError("compile", fmt::format("the runtime uses {} on this CPU instead of {}; choose a supported "
                                              "precision",
                                              used.get_type_name(), to_string(wanted)));
  }

  void abandon() noexcept {
    for (const Running& job : running) try {
        job.request->wait();
      } catch (...) {  // outputs and errors of abandoned requests are dropped
      }
    running.clear();
  }

  // Calls a function of OpenVINO. Its errors become DataErrors that begin with `what`.
  template <typename Function>
  static void call(const char* what, const Function& function) {
    try {
      function();
    } catch (const ov::Exception& error) {
      rethrow_out_of_memory(error);
      throw DataError("infer", what + shorten_openvino_message(error.what()));
    }
  }

  void check_count(const std::vector<Tensor>& tensors) const {
    if (tensors.size() != inputs)
      throw DataError("infer",
                      fmt::format("the model has {} inputs, but the data have {} tensors", inputs, tensors.size()));
  }

  void start(Request& request, const std::vector<Tensor>& tensors) {
    check_count(tensors);
    call("", [&] { request.start(tensors); });
  }

  std::vector<Tensor> finish(Request& request) {
    call("inference failed: ", [&] { request.wait(); });
    return outputs_of(request);
  }

  // Runs in this thread. Starting the request and waiting for it would need two more switches between threads. They
  // take long on busy cores, and a visible part of a short inference on free ones.
  std::vector<Tensor> infer(Request& request, const std::vector<Tensor>& tensors) {
    check_count(tensors);
    call("", [&] { request.set_inputs(tensors); });
    call("inference failed: ", [&] { request.run(); });
    return outputs_of(request);
  }

  std::vector<Tensor> outputs_of(Request& request) const {
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < cut.outputs.size(); ++i)
      outputs.push_back(borrow_outputs ? borrow_from_ov(request.output(i)) : copy_from_ov(request.output(i)));
    return outputs;
  }
};

Executable::Executable(const Model& model, const CompileOptions& options) : state_(std::make_unique<State>()) {
  std::optional<Stopwatch> stopwatch;
  if (!options.ahead) stopwatch.emplace(seconds_compiling);
  const bool has_variables = !model.graph->get_variables().empty();
  try {
    const auto graph = options.input_shapes.empty() ? model.graph : reshaped_graph(model, options.input_shapes);
    state_->inputs = graph->inputs().size();
    state_->bodies = all_bodies(*graph);
    state_->body_properties = properties(model.precision, {});
    state_->has_static_shapes = std::all_of(graph->get_parameters().begin(), graph->get_parameters().end(),
                                            [](const auto& input) { return input->get_partial_shape().is_static(); });
    try {
      state_->compile(cut_by_outputs(graph, options.most_outputs), model.precision, options);
    } catch (const ov::Exception&) {  // a part may lack shapes that are known in the whole graph
      if (state_->cut.parts.size() <= 1) throw;
      state_->compile(cut_by_outputs(graph, 0), model.precision, options);
    }
  } catch (const ModelError&) {
    throw;
  } catch (const std::exception& error) {
    rethrow_out_of_memory(error);
    const std::string fixed_batch = explain_fixed_batch(model, options.input_shapes, error.what());
    throw ModelError("compile", fmt::format("{}: {}", model.source.string(),
                                            fixed_batch.empty() ? "OpenVINO cannot compile the model: " +
                                                                      shorten_openvino_message(error.what())
                                                                : fixed_batch));
  }
  if (model.format == ModelFormat::TensorFlow) release_mapped_weights();
  for (int i = 0; i < std::max(1, options.streams); ++i)
    state_->requests.emplace_back(state_->cut, state_->compiled, has_variables);
  state_->borrow_outputs = options.borrow_outputs;
}

Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;
Executable::~Executable() {
  if (!state_) return;
  const Stopwatch stopwatch(seconds_compiling);
  state_.reset();
}

std::vector<Tensor> Executable::infer(const std::vector<Tensor>& inputs) {
  const Stopwatch stopwatch(seconds_inferring);
  Request& request = state_->requests.front();
  if (request.has_one_part()) return state_->infer(request, inputs);
  state_->start(request, inputs);
  return state_->finish(request);
}

void Executable::start(std::vector<Tensor> inputs) {
  Request& request = state_->requests[state_->started % state_->requests.size()];
  if (state_->running.empty()) state_->busy_since = Clock::now();
  state_->running.push_back({&request, std::move(inputs)});
  try {
    state_->start(request, state_->running.back().inputs);
    ++state_->started;
  } catch (...) {
    state_->running.pop_back();
    throw;
  }
}

std::vector<Tensor> Executable::finish() {
  std::vector<Tensor> outputs = state_->finish(*state_->running.front().request);
  if (state_->borrow_outputs) state_->read = std::move(state_->running.front().inputs);
  state_->running.pop_front();
  if (state_->running.empty()) seconds_inferring += seconds_since(state_->busy_since);
  return outputs;
}

void Executable::abandon() noexcept { state_->abandon(); }

void Executable::infer_all(const std::function<std::optional<std::vector<Tensor>>()>& source,
                           const std::function<void(std::vector<Tensor>)>& sink) {
  try {
    while (auto inputs = source()) {
      if (state_->running.size() == state_->requests.size()) sink(finish());
      start(std::move(*inputs));
    }
    while (!state_->running.empty()) sink(finish());
  } catch (...) {
    abandon();
    throw;
  }
}

std::vector<ExecutedOp> Executable::executed_ops() const {
  std::map<std::string, double> times;
  try {
    for (const ov::ProfilingInfo& kernel : state_->requests.front().profile())
      times[kernel.node_name] = static_cast<double>(kernel.real_time.count()) / 1000.0;
  } catch (const ov::Exception&) {  // no times without profiling
  }
  if (!state_->executed.empty()) {  // building the executed graph is slow, so it is cached
    for (ExecutedOp& op : state_->executed) op.time_ms = times.contains(op.name) ? times[op.name] : 0;
    return state_->executed;
  }
  std::vector<ExecutedOp> ops;
  for (const ov::CompiledModel& part : state_->compiled)
    for (ExecutedOp& op : executed_graph(part)) {
      op.time_ms = times.contains(op.name) ? times[op.name] : 0;
      ops.push_back(std::move(op));
    }
  if (!state_->executed_in_bodies)
    state_->executed_in_bodies = kernels_of_bodies(state_->bodies, state_->body_properties);
  ops.insert(ops.end(), state_->executed_in_bodies->begin(), state_->executed_in_bodies->end());
  // Dynamic shapes are only known after an inference.
  if (state_->has_static_shapes) state_->executed = ops;
  return ops;
}

}  // namespace lpot
