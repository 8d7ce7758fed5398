#include "python/src/program.h"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <map>
#include <mutex>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "lpot/runtime/executable.h"
#include "lpot/runtime/latency.h"
#include "lpot/runtime/precision.h"

namespace lpot::python {
namespace {

// Runs a model with inputs of any shape. Static shapes are faster, so the first kMaxStaticShapes input shapes are
// compiled separately. All other shapes share one compilation with dynamic shapes.
class Program {
 public:
  Program(const std::filesystem::path& path, int threads) : model_(load_model(path)), threads_(threads) {
    model_.precision = usable_precision(model_.precision);
    for (const Port& port : model_inputs(model_)) inputs_.push_back(port);
    for (const Port& port : model_outputs(model_)) outputs_.push_back(port);
  }

  std::vector<Tensor> infer(std::vector<Tensor> inputs) {
    if (inputs.size() != inputs_.size())
      throw DataError("run", fmt::format("got {} inputs; the model has {}", inputs.size(), inputs_.size()));
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = inputs[i].converted(parse_element_type(inputs_[i].element_type));
      shapes.push_back(inputs[i].shape());
    }
    const std::lock_guard lock(mutex_);
    return executable_for(shapes).infer(inputs);
  }

  // Whether `infer` can run without compiling. True for a wrong number of inputs, which `infer` reports.
  bool is_compiled(const std::vector<Shape>& shapes) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    return shapes.size() != inputs_.size() || compiled_.contains(shapes) ||
           ((only_dynamic_ || compiled_.size() >= kMaxStaticShapes) && compiled_.contains({}));
  }
  void compile(const std::vector<Shape>& shapes) {
    const std::lock_guard lock(mutex_);
    executable_for(shapes);
  }

  std::vector<std::string> names(bool of_inputs) const {
    std::vector<std::string> all;
    for (const Port& port : of_inputs ? inputs_ : outputs_) all.push_back(port.name);
    return all;
  }

 private:
  static constexpr std::size_t kMaxStaticShapes = 4;

  Executable& executable_for(std::vector<Shape> shapes) {
    if (const auto found = compiled_.find(shapes); found != compiled_.end()) return found->second;
    if (only_dynamic_ || compiled_.size() >= kMaxStaticShapes) shapes.clear();
    if (const auto found = compiled_.find(shapes); found != compiled_.end()) return found->second;
    try {
      return compiled_.emplace(shapes, Executable(model_, {.threads = threads_, .input_shapes = shapes})).first->second;
    } catch (const ModelError&) {
      if (shapes.empty()) throw;
      only_dynamic_ = true;  // this graph cannot be reshaped to static shapes
      return executable_for({});
    }
  }

  Model model_;
  int threads_;
  std::vector<Port> inputs_, outputs_;
  std::mutex mutex_;
  std::map<std::vector<Shape>, Executable> compiled_;  // by input shapes; empty: dynamic shapes
  bool only_dynamic_ = false;
};

std::vector<Shape> shapes_of(const py::list& arrays) {
  std::vector<Shape> shapes;
  for (const py::handle& given : arrays) {
    const py::array array = py::array::ensure(given);
    if (!array) {
      PyErr_Clear();
      return {};  // `infer` reports the error
    }
    shapes.emplace_back(array.shape(), array.shape() + array.ndim());
  }
  return shapes;
}

}  // namespace

void bind_program(py::module_& module) {
  py::class_<Program, std::shared_ptr<Program>>(module, "Program")
      .def(py::init<std::filesystem::path, int>(), py::arg("path"), py::arg("threads") = 0,
           py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("inputs", [](const Program& program) { return program.names(true); })
      .def_property_readonly("outputs", [](const Program& program) { return program.names(false); })
      .def("is_compiled",
           [](Program& program, const py::list& arrays) { return program.is_compiled(shapes_of(arrays)); })
      .def("compile",
           [](Program& program, const py::list& arrays) {
             const std::vector<Shape> shapes = shapes_of(arrays);
             const py::gil_scoped_release released;
             program.compile(shapes);
           })
      .def(
          "infer",
          [](Program& program, const py::list& arrays) {
            std::vector<Tensor> inputs = to_tensors(arrays);
            std::vector<Tensor> outputs;
            {
              const py::gil_scoped_release released;
              outputs = program.infer(std::move(inputs));
            }
            return to_arrays(outputs);
          },
          py::arg("inputs"));
}

}  // namespace lpot::python
