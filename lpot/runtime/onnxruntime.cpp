#include "lpot/runtime/onnxruntime.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <openvino/openvino.hpp>
#include <optional>

#include "lpot/core/error.h"
#include "lpot/runtime/ov_tensor.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

// Stands for an output of a model without ops.
class RuntimeOutput : public ov::op::Op {
 public:
  OPENVINO_OP("RuntimeOutput", "lpot")
  RuntimeOutput(ov::element::Type type, ov::PartialShape shape) : type_(type), shape_(std::move(shape)) {
    constructor_validate_and_infer_types();
  }
  void validate_and_infer_types() override { set_output_type(0, type_, shape_); }
  std::shared_ptr<ov::Node> clone_with_new_inputs(const ov::OutputVector&) const override {
    return std::make_shared<RuntimeOutput>(type_, shape_);
  }

 private:
  ov::element::Type type_;
  ov::PartialShape shape_;
};

struct RuntimePort {
  std::string name;
  ov::element::Type type;
  ov::PartialShape shape;
};

RuntimePort port_of(const json& description) {
  const auto dims = description.at("shape").get<std::vector<std::int64_t>>();
  return {description.at("name").get<std::string>(),
          to_ov(parse_element_type(description.at("type").get<std::string>())),
          ov::PartialShape(std::vector<ov::Dimension>(dims.begin(), dims.end()))};
}

std::shared_ptr<ov::Model> graph_of_ports(const json& answer) {
  ov::ParameterVector inputs;
  ov::ResultVector outputs;
  for (const json& description : answer.at("inputs")) {
    const RuntimePort port = port_of(description);
    inputs.push_back(std::make_shared<ov::op::v0::Parameter>(port.type, port.shape));
    inputs.back()->set_friendly_name(port.name);
    inputs.back()->output(0).set_names({port.name});
  }
  for (const json& description : answer.at("outputs")) {
    const RuntimePort port = port_of(description);
    const auto output = std::make_shared<RuntimeOutput>(port.type, port.shape);
    output->set_friendly_name(port.name);
    output->output(0).set_names({port.name});
    outputs.push_back(std::make_shared<ov::op::v0::Result>(output));
  }
  return std::make_shared<ov::Model>(outputs, inputs);
}

json describe_tensors(const std::vector<Tensor>& tensors) {
  json list = json::array();
  for (const Tensor& tensor : tensors)
    list.push_back({{"type", to_string(tensor.element_type())}, {"shape", tensor.shape()}});
  return list;
}

std::string_view bytes_of(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes()), tensor.byte_size()};
}

}  // namespace

struct OnnxRuntime::Answer {
  json line;
  std::vector<Tensor> tensors;
};

OnnxRuntime::OnnxRuntime(const std::vector<std::string>& command) : process_(std::make_unique<Process>(command)) {
  Answer hello;
  try {
    hello = read_answer(command.front(), {});
  } catch (const ModelError& error) {
    const std::string message = error.what();  // "[onnxruntime] ..."
    throw ConfigError("onnxruntime", message.substr(message.find("] ") + 2));
  }
  version_ = hello.line.value("version", "");
  python_ = hello.line.value("python", command.front());
}

OnnxRuntime::Answer OnnxRuntime::request(const json& line, const std::vector<Tensor>& tensors, const std::string& place,
                                         const Observer& observer) {
  json head = line;
  if (!tensors.empty()) head["tensors"] = describe_tensors(tensors);
  bool is_sent = process_->write_line(head.dump());
  for (const Tensor& tensor : tensors) is_sent = is_sent && process_->write(bytes_of(tensor));
  // A worker that has ended may have left a message.
  return read_answer(place, observer);
}

OnnxRuntime::Answer OnnxRuntime::read_answer(const std::string& place, const Observer& observer) {
  const auto ended = [&] {
    return ModelError("onnxruntime", fmt::format("{}: the Python process that runs ONNX Runtime ended without an "
                                                 "answer; its output says why",
                                                 place));
  };
  const std::optional<std::string> line = process_->read_line(observer);
  if (!line) throw ended();
  Answer answer{json::parse(*line, nullptr, false), {}};
  if (!answer.line.is_object())
    throw ModelError("onnxruntime", fmt::format("{}: expected an answer of the worker, got '{}'", place, *line));
  if (answer.line.contains("error"))
    throw ModelError("onnxruntime", fmt::format("{}: {}", place, answer.line["error"].get<std::string>()));
  for (const json& description : answer.line.value("tensors", json::array())) {
    answer.tensors.push_back(Tensor::uninitialized(parse_element_type(description.at("type").get<std::string>()),
                                                   description.at("shape").get<Shape>()));
    Tensor& tensor = answer.tensors.back();
    if (!process_->read(tensor.bytes(), tensor.byte_size(), observer)) throw ended();
  }
  return answer;
}

OnnxRuntimeModel OnnxRuntime::load(const fs::path& path, int threads, const Observer& observer) {
  const json line{{"do", "load"}, {"path", fs::absolute(path).string()}, {"threads", threads}};
  const Answer answer = request(line, {}, path.string(), observer);
  OnnxRuntimeModel model;
  model.number = answer.line.at("number").get<std::size_t>();
  model.ports.graph = graph_of_ports(answer.line);
  model.ports.format = ModelFormat::Onnx;
  model.ports.source = path;
  std::error_code ignored;
  model.ports.size_bytes = fs::file_size(path, ignored);
  return model;
}

std::vector<Tensor> OnnxRuntime::run(const OnnxRuntimeModel& model, const std::vector<Tensor>& inputs,
                                     const Observer& observer) {
  return request({{"do", "run"}, {"model", model.number}}, inputs, model.ports.source.string(), observer).tensors;
}

void OnnxRuntime::add_timed_batch(const OnnxRuntimeModel& model, const std::vector<Tensor>& inputs) {
  request({{"do", "batch"}, {"model", model.number}}, inputs, model.ports.source.string(), {});
}

BlockRuns OnnxRuntime::time(const OnnxRuntimeModel& model, const BlockLimits& limits) {
  const json line{{"do", "time"},        {"model", model.number}, {"block_ms", limits.block_ms},
                  {"runs", limits.runs}, {"warm", limits.warm},   {"one_thread", limits.one_thread}};
  const Answer answer = request(line, {}, model.ports.source.string(), {});
  return {answer.line.at("wall_ms").get<std::vector<double>>(), answer.line.at("cpu_ms").get<std::vector<double>>(),
          answer.line.at("total_cpu_ms").get<double>()};
}

namespace {

class WorkerTimer : public BlockTimer {
 public:
  WorkerTimer(OnnxRuntime& runtime, const OnnxRuntimeModel& model) : runtime_(runtime), model_(model) {}

  void warm_up(int runs) override {
    run({.block_ms = std::numeric_limits<double>::max(), .runs = static_cast<std::size_t>(runs)});
  }
  BlockRuns run(const BlockLimits& limits) override { return runtime_.time(model_, limits); }

 private:
  OnnxRuntime& runtime_;
  const OnnxRuntimeModel& model_;
};

}  // namespace

std::unique_ptr<BlockTimer> onnxruntime_timer(OnnxRuntime& runtime, const OnnxRuntimeModel& model) {
  return std::make_unique<WorkerTimer>(runtime, model);
}

}  // namespace lpot
