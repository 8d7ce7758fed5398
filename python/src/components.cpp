#include "python/src/components.h"

#include <pybind11/stl.h>

#include "lpot/config/load.h"
#include "lpot/data/transform.h"
#include "lpot/metrics/metric.h"
#include "lpot/tune/setup.h"
#include "python/src/arrays.h"

namespace lpot::python {
namespace {

const Table& table_of_kind(const std::string& kind) {
  const ComponentTables& tables = component_tables();
  if (kind == "dataset") return tables.datasets;
  if (kind == "metric") return tables.metrics;
  return kind == "strategy" ? tables.strategies : tables.transforms;
}

std::vector<std::string> component_names(const std::string& kind) {
  std::vector<std::string> names;
  for (const Entry& entry : table_of_kind(kind)) names.push_back(entry.name);
  return names;
}

// The parameter names of a component in declaration order; nullopt if the component is unknown.
std::optional<std::vector<std::string>> parameter_names(const std::string& kind, const std::string& name) {
  const Entry* entry = find(table_of_kind(kind), name);
  if (!entry) return std::nullopt;
  std::vector<std::string> names;
  for (const Parameter& parameter : entry->parameters) names.push_back(parameter.name);
  return names;
}

py::tuple apply_transform(const Transform& transform, const py::list& inputs, const py::object& label,
                          std::uint64_t seed) {
  Sample sample;
  sample.inputs = to_tensors(inputs);
  if (!label.is_none()) sample.label = to_tensor(label);
  sample = transform.apply(std::move(sample), seed);
  return py::make_tuple(to_arrays(sample.inputs),
                        sample.label.empty() ? py::object(py::none()) : py::object(to_array(sample.label)));
}

}  // namespace

void bind_components(py::module_& module) {
  py::class_<Metric>(module, "Metric")
      .def("update", [](Metric& metric, const py::list& outputs,
                        const py::list& labels) { metric.update(to_tensors(outputs), to_tensors(labels)); })
      .def("result", &Metric::result)
      .def("fresh", &Metric::fresh)
      .def_property_readonly("higher_is_better", &Metric::higher_is_better)
      .def_property_readonly("labels_are_baseline", &Metric::labels_are_baseline);
  py::class_<Transform>(module, "Transform")
      .def("apply", &apply_transform, py::arg("inputs"), py::arg("label"), py::arg("seed") = 0);
  // The text is in YAML, as in a configuration: "topk: {k: 5}".
  module.def("metric", [](const std::string& text) { return make_metric(parse_component(text, metrics())); });
  module.def("transform", [](const std::string& text) { return make_transform(parse_component(text, transforms())); });
  module.def("component_names", &component_names, py::arg("kind"));
  module.def("parameter_names", &parameter_names, py::arg("kind"), py::arg("name"));
}

}  // namespace lpot::python
