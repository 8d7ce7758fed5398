#include "python/src/config.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lpot/tune/setup.h"
#include "lpot/tune/tune.h"

namespace lpot::python {
namespace {

// A component that Python registered: its name, and (name, kind, default) of each parameter.
struct RegisteredComponent {
  std::string name;
  std::vector<std::tuple<std::string, std::string, std::string>> parameters;
};

using Registry = std::map<std::string, std::vector<RegisteredComponent>>;  // by kind: dataset, transform, ...

Table with_registered(const Table& table, const std::vector<RegisteredComponent>& registered) {
  static const std::map<std::string, ValueKind> kKinds{{"flag", ValueKind::Flag},
                                                       {"integer", ValueKind::Integer},
                                                       {"number", ValueKind::Number},
                                                       {"text", ValueKind::Text}};
  Table all = table;
  for (const RegisteredComponent& component : registered) {
    Entry entry{component.name, "registered in Python"};
    for (const auto& [name, kind, value] : component.parameters)
      entry.parameters.push_back({.name = name, .kind = kKinds.at(kind), .default_value = value});
    all.push_back(std::move(entry));
  }
  return all;
}

// YAML files: the name, and the text if it is not that of the file.
using NamedTexts = std::vector<std::pair<std::string, std::optional<std::string>>>;

Config load(const NamedTexts& named_texts, const Registry& registry) {
  const ComponentTables& library = component_tables();
  const auto registered = [&](const char* kind) {
    const auto found = registry.find(kind);
    return found == registry.end() ? std::vector<RegisteredComponent>{} : found->second;
  };
  const Table datasets = with_registered(library.datasets, registered("dataset")),
              transforms = with_registered(library.transforms, registered("transform")),
              metrics = with_registered(library.metrics, registered("metric")),
              strategies = with_registered(library.strategies, registered("strategy"));
  const ComponentTables tables{datasets, transforms, library.postprocesses, metrics, strategies, library.recipes};
  std::vector<ConfigDocument> texts;
  for (const auto& [name, text] : named_texts)
    texts.push_back(text ? ConfigDocument{name, *text} : read_config_document(name));
  return load_config_documents(texts, {}, tables);
}

// (name, parameters), or None for a component that the configuration does not set.
py::object component_tuple(const Component& component) {
  if (component.name.empty()) return py::none();
  py::dict parameters;
  for (const auto& [name, value] : component.parameters.all())
    parameters[py::str(name)] = std::visit([](const auto& plain) -> py::object { return py::cast(plain); }, value);
  return py::make_tuple(component.name, parameters);
}

py::list component_tuples(const std::vector<Component>& components) {
  py::list all;
  for (const Component& component : components) all.append(component_tuple(component));
  return all;
}

// (data set, transforms, batch size), or None.
py::object loader_tuple(const std::optional<LoaderConfig>& loader) {
  if (!loader) return py::none();
  return py::make_tuple(component_tuple(loader->dataset), component_tuples(loader->transforms), loader->batch_size);
}

std::size_t largest_sampling_size(const Config& config) {
  const auto& sizes = config.quantization.sampling_sizes;
  return *std::max_element(sizes.begin(), sizes.end());
}

// Python evaluates its own metrics, so the library must not look them up by name.
Config without_metrics(Config config, const std::vector<std::string>& names) {
  std::erase_if(config.accuracy.metrics, [&](const Component& metric) {
    return std::find(names.begin(), names.end(), metric.name) != names.end();
  });
  return config;
}

// Disables recipes that change constants which only exist in the converted model, not in the user's graph.
Config without_rescaling(Config config) {
  for (const RecipeDeclaration& recipe : component_tables().recipes)
    if (recipe.rescales_constants) config.quantization.recipes.values[recipe.name] = false;
  return config;
}

Config with_sampling_size(Config config, std::size_t size) {
  config.quantization.sampling_sizes = {size};
  return config;
}

// The settings of evaluation.performance, with the defaults of the library.
py::dict performance_settings(const Config& config) {
  const PerformanceConfig performance = config.performance.value_or(PerformanceConfig{});
  py::dict settings;
  settings["warmup"] = performance.warmup;
  settings["iteration"] = performance.iteration;
  settings["threads"] = configured_threads(performance.instances);
  settings["instances"] = performance.instances.num_of_instance.value_or(1);
  return settings;
}

// For speed measurements: evaluates the data of evaluation.performance, if it has any, and no metric.
Config with_performance_data(Config config) {
  if (config.performance && config.performance->loader) config.accuracy.loader = config.performance->loader;
  config.accuracy.metrics.clear();
  return config;
}

void bind_model_properties(py::class_<Config>& type) {
  type.def_property_readonly("name", [](const Config& config) { return config.model.name; })
      .def_property_readonly("framework", [](const Config& config) { return config.model.framework_name; })
      .def_property_readonly("inputs", [](const Config& config) { return config.model.inputs; })
      .def_property_readonly("outputs", [](const Config& config) { return config.model.outputs; })
      .def_property_readonly("warnings", [](const Config& config) { return config.warnings; });
}

void bind_study_properties(py::class_<Config>& type) {
  type.def_property_readonly("sampling_size", &largest_sampling_size)
      .def_property_readonly(
          "is_dynamic",
          [](const Config& config) { return config.quantization.approach == Approach::DynamicQuantization; })
      .def_property_readonly("performance", &performance_settings)
      .def_property_readonly("command", [](const Config& config) { return config.accuracy.command; })
      .def_property_readonly("calibration_loader",
                             [](const Config& config) { return loader_tuple(config.quantization.calibration); })
      .def_property_readonly("evaluation_loader",
                             [](const Config& config) { return loader_tuple(config.accuracy.loader); })
      .def_property_readonly("strategy", [](const Config& config) { return component_tuple(config.tuning.strategy); })
      .def_property_readonly("metrics", [](const Config& config) { return component_tuples(config.accuracy.metrics); });
}

}  // namespace

void bind_config(py::module_& module) {
  py::class_<RegisteredComponent>(module, "Registered")
      .def(py::init([](std::string name, std::vector<std::tuple<std::string, std::string, std::string>> parameters) {
        return RegisteredComponent{std::move(name), std::move(parameters)};
      }));
  py::class_<Config> type(module, "Config");
  bind_model_properties(type);
  bind_study_properties(type);
  type.def("without_metrics", &without_metrics)
      .def("without_rescaling", &without_rescaling)
      .def("with_performance_data", &with_performance_data)
      .def("with_sampling_size", &with_sampling_size, py::arg("size"));
  module.def("load_config", &load, py::arg("texts"), py::arg("registry") = Registry{});
}

}  // namespace lpot::python
