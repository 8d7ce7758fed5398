#include "python/src/tuning.h"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <atomic>

#include "lpot/model/save.h"
#include "lpot/quantize/writers/onnx.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/report/result.h"
#include "lpot/runtime/fit.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/tune.h"
#include "python/src/callbacks.h"
#include "python/src/data.h"
#include "python/src/edits.h"

namespace lpot::python {
namespace {

namespace fs = std::filesystem;

// All that Python says of one tuning; what is empty is as the config says.
struct Job {
  Config config;
  fs::path model, output;
  bool resume = false;
  std::shared_ptr<Dataset> calibration, evaluation;
  std::size_t calibration_batch = 1, evaluation_batch = 1;
  std::vector<std::pair<std::string, py::object>> metrics;  // name and what makes one
  std::vector<py::object> postprocess;
  py::object evaluate = py::none();  // (Candidate) -> accuracy
  py::object strategy = py::none();
  py::object on_saved = py::none();  // (Candidate, Plan, folder)
  py::object on_log = py::none();    // (level, message)
  py::object on_trial = py::none();  // (Trial, is_best)
  std::string name = "eval_func";
  std::shared_ptr<std::atomic<bool>> stopped = std::make_shared<std::atomic<bool>>(false);
};

Observer observer_for(const Job& job) {
  Observer observer;
  observer.should_stop = [stopped = job.stopped] { return stopped->load(); };
  if (!job.on_log.is_none())
    observer.on_log = [stopped = job.stopped, log = hold(job.on_log)](LogLevel level, std::string_view message) {
      try {
        calling("log", [&] { (*log)(static_cast<int>(level), std::string(message)); });
      } catch (const Interrupted&) {
        *stopped = true;  // a message is no place to end at
      }
    };
  return observer;
}

double ask(const py::object& function, const std::string& name, const Candidate& candidate) {
  return calling(name, [&] {
    const py::object answer = function(candidate);
    if (py::isinstance<py::str>(answer) || !PyNumber_Check(answer.ptr()))
      throw CallerError(name, fmt::format("returned {} ({}), expected the accuracy of the model as a number",
                                          py::repr(answer).cast<std::string>(),
                                          py::str(py::type::of(answer).attr("__name__")).cast<std::string>()));
    return py::float_(answer).cast<double>();
  });
}

struct Prepared {
  Config config;
  TuneOptions options;
  // What the model that is evaluated next comes down to.
  std::shared_ptr<Candidate> current = std::make_shared<Candidate>();
};

Prepared prepare(const Job& job) {
  Prepared prepared{job.config, {}};
  TuneOptions& options = prepared.options;
  options.model = job.model;
  options.output = job.output;
  options.resume = job.resume;
  options.shared_workspace = true;  // a module that was trained again is no reason to refuse
  options.command = "python";
  // Loaders of Python give what is ready for the model.
  if (job.calibration) {
    options.user.calibration_data = job.calibration;
    prepared.config.quantization.calibration = LoaderConfig{.batch_size = job.calibration_batch};
  }
  if (job.evaluation) {
    options.user.evaluation_data = job.evaluation;
    prepared.config.accuracy.loader = LoaderConfig{.batch_size = job.evaluation_batch};
  }
  for (const auto& [name, make] : job.metrics) options.user.metrics.push_back({name, python_metric(name, make)});
  for (const py::object& step : job.postprocess) options.user.postprocess.push_back(python_postprocess(step));
  if (!job.strategy.is_none()) options.user.strategy = {"strategy", python_strategy("strategy", job.strategy)};
  const auto current = prepared.current;
  options.on_quantized = [current](const Model& source, const Edits& edits) {
    current->source = &source;
    current->edits = &edits;
  };
  if (!job.evaluate.is_none())
    options.user.evaluation = {
        job.name, [current, name = job.name, function = hold(job.evaluate)](const EvaluationRequest& request) {
          if (request.is_fp32) return ask(*function, name, {});
          return ask(*function, name, {&request.model, current->source, current->edits});
        }};
  if (!job.on_saved.is_none())
    options.on_saved = [function = hold(job.on_saved)](const Model& source, const Plan& plan, const Edits& edits,
                                                       const fs::path& folder) {
      calling("save", [&] { (*function)(Candidate{nullptr, &source, &edits}, plan, folder); });
    };
  if (!job.on_trial.is_none())
    options.on_trial = [function = hold(job.on_trial)](const Trial& trial, bool is_best) {
      calling("on_trial", [&] { (*function)(trial, is_best); });
    };
  return prepared;
}

py::dict run_tune(const Job& job) {
  const Prepared prepared = prepare(job);
  const Observer observer = observer_for(job);
  const TuneResult result = [&] {
    const py::gil_scoped_release released;
    return tune(prepared.config, prepared.options, observer);
  }();
  py::dict answer;
  answer["json"] = result_json(result);
  answer["text"] = result_text(result);
  answer["model"] = result.model;
  answer["workspace"] = result.workspace;
  answer["interrupted"] = result.reason == StopReason::Interrupted;
  answer["reason"] = std::string(to_string(result.reason));
  answer["trials"] = result.trials;
  answer["plan"] = result.best ? py::cast(result.best->plan) : py::none();
  return answer;
}

py::dict run_quantize(const Job& job) {
  const Prepared prepared = prepare(job);
  const Observer observer = observer_for(job);
  const QuantizeResult result = [&] {
    const py::gil_scoped_release released;
    return quantize_once(prepared.config, prepared.options, observer);
  }();
  py::dict answer;
  answer["model"] = result.model;
  answer["plan"] = result.plan;
  answer["int8_ops"] = result.int8_ops;
  answer["fp32_ops"] = result.fp32_ops;
  answer["model_bytes"] = result.model_bytes;
  return answer;
}

std::vector<std::pair<std::string, double>> run_evaluate(const Job& job) {
  const Prepared prepared = prepare(job);
  const Observer observer = observer_for(job);
  const py::gil_scoped_release released;
  const Model model = load_configured_model(prepared.config, prepared.options.model);
  return make_evaluator(prepared.config, prepared.options.user)->baseline(model, observer).metrics;
}

// One input of the model from the data that the config names: a batch of one sample.
py::list first_inputs(const Config& config) {
  std::vector<Tensor> inputs;
  {
    const py::gil_scoped_release released;
    const DataLoader loader = calibration_loader(config).value;
    if (loader.size() == 0) throw DataError("data", "the calibration data set is empty");
    for (const Tensor& input : loader.sample(0).inputs) inputs.push_back(stack({input}));
  }
  return to_arrays(inputs);
}

// The first batches of the evaluation's data, as the model takes them.
py::list first_batches(const Job& job, std::size_t count) {
  const Prepared prepared = prepare(job);
  std::vector<std::vector<Tensor>> found;
  {
    const py::gil_scoped_release released;
    const Model model = load_configured_model(prepared.config, prepared.options.model);
    const DataLoader loader = evaluation_loader(prepared.config, prepared.options.user);
    const InputFit fit(model, loader.dataset().input_naming());
    auto batches = loader.read();
    while (found.size() < count) {
      const auto batch = batches.next();
      if (!batch) break;
      found.push_back(fit.apply(batch->inputs));
    }
  }
  if (found.empty()) throw DataError("data", "the data set is empty");
  py::list answer;
  for (const std::vector<Tensor>& inputs : found) answer.append(to_arrays(inputs));
  return answer;
}

// A component that Python registered: name, and name, kind and default of its parameters.
struct Registered {
  std::string name;
  std::vector<std::tuple<std::string, std::string, std::string>> parameters;
};

Table with(const Table& table, const std::vector<Registered>& registered) {
  static const std::map<std::string, ValueKind> kKinds{{"flag", ValueKind::Flag},
                                                       {"integer", ValueKind::Integer},
                                                       {"number", ValueKind::Number},
                                                       {"text", ValueKind::Text}};
  Table all = table;
  for (const Registered& one : registered) {
    Entry entry{one.name, "registered in Python"};
    for (const auto& [name, kind, value] : one.parameters)
      entry.parameters.push_back({.name = name, .kind = kKinds.at(kind), .default_value = value});
    all.push_back(std::move(entry));
  }
  return all;
}

using Registry = std::map<std::string, std::vector<Registered>>;  // by kind: dataset, transform, metric, strategy

Config load(const std::vector<std::string>& files, const std::vector<std::string>& overrides,
            const std::optional<std::string>& text, const Registry& registry) {
  const ComponentTables& user = component_tables();
  const auto registered = [&](const char* kind) {
    const auto found = registry.find(kind);
    return found == registry.end() ? std::vector<Registered>{} : found->second;
  };
  const Table datasets = with(user.datasets, registered("dataset")),
              transforms = with(user.transforms, registered("transform")),
              metrics = with(user.metrics, registered("metric")),
              strategies = with(user.strategies, registered("strategy"));
  const ComponentTables tables{datasets, transforms, user.postprocesses, metrics, strategies, user.recipes};
  return text ? load_config_text(*text, "config", tables) : load_config(files, overrides, tables);
}

py::object value_of(const Value& value) {
  return std::visit([](const auto& held) -> py::object { return py::cast(held); }, value);
}

py::object named(const Component& component) {
  if (component.name.empty()) return py::none();
  py::dict parameters;
  for (const auto& [name, value] : component.parameters.all()) parameters[py::str(name)] = value_of(value);
  return py::make_tuple(component.name, parameters);
}

py::list all_named(const std::vector<Component>& components) {
  py::list all;
  for (const Component& component : components) all.append(named(component));
  return all;
}

// What a configuration says of a loader: (data set, transforms, batch size), or None.
py::object loader_of(const std::optional<LoaderConfig>& loader) {
  if (!loader) return py::none();
  return py::make_tuple(named(loader->dataset), all_named(loader->transforms), loader->batch_size);
}

void bind_config(py::module_& module) {
  py::class_<Registered>(module, "Registered")
      .def(py::init([](std::string name, std::vector<std::tuple<std::string, std::string, std::string>> parameters) {
        return Registered{std::move(name), std::move(parameters)};
      }));
  py::class_<Config>(module, "Config")
      .def_property_readonly("name", [](const Config& config) { return config.model.name; })
      .def_property_readonly("framework", [](const Config& config) { return config.model.framework_name; })
      .def_property_readonly("inputs", [](const Config& config) { return config.model.inputs; })
      .def_property_readonly("outputs", [](const Config& config) { return config.model.outputs; })
      .def_property_readonly("warnings", [](const Config& config) { return config.warnings; })
      .def_property_readonly("sampling_size",
                             [](const Config& config) {
                               const auto& sizes = config.quantization.sampling_sizes;
                               return *std::max_element(sizes.begin(), sizes.end());
                             })
      .def_property_readonly(
          "is_dynamic",
          [](const Config& config) { return config.quantization.approach == Approach::DynamicQuantization; })
      .def_property_readonly("command", [](const Config& config) { return config.accuracy.command; })
      .def_property_readonly("calibration_loader",
                             [](const Config& config) { return loader_of(config.quantization.calibration); })
      .def_property_readonly("evaluation_loader",
                             [](const Config& config) { return loader_of(config.accuracy.loader); })
      .def_property_readonly("strategy", [](const Config& config) { return named(config.tuning.strategy); })
      .def_property_readonly("metrics", [](const Config& config) { return all_named(config.accuracy.metrics); })
      // Those that Python makes itself are not for the library to look up.
      .def("without_metrics",
           [](const Config& config, const std::vector<std::string>& names) {
             Config rest = config;
             std::erase_if(rest.accuracy.metrics, [&](const Component& metric) {
               return std::find(names.begin(), names.end(), metric.name) != names.end();
             });
             return rest;
           })
      // Recipes that change constants which are not in the user's own graph cannot be written into it.
      .def("without_rescaling", [](const Config& config) {
        Config rest = config;
        for (const RecipeDeclaration& recipe : component_tables().recipes)
          if (recipe.rescales_constants) rest.quantization.recipes.values[recipe.name] = false;
        return rest;
      });
  module.def("load_config", &load, py::arg("files"), py::arg("overrides") = std::vector<std::string>{},
             py::arg("text") = py::none(), py::arg("registry") = Registry{});
}

}  // namespace

void bind_tuning(py::module_& module) {
  bind_config(module);
  py::class_<Candidate>(module, "Candidate")
      .def_property_readonly("is_fp32", &Candidate::is_fp32)
      .def("edits", [](const Candidate& candidate) { return edits_of(*candidate.source, *candidate.edits); })
      .def("source_weights",
           [](const Candidate& candidate, const std::string& op) { return source_weights(*candidate.source, op); })
      .def("save",
           [](const Candidate& candidate, const fs::path& path) {
             const py::gil_scoped_release released;
             save_model(candidate.model ? *candidate.model : apply(*candidate.source, *candidate.edits), path);
           })
      .def("save_onnx", [](const Candidate& candidate, const fs::path& path) {
        const py::gil_scoped_release released;
        export_onnx(*candidate.source, *candidate.edits, path);
      });
  py::class_<Job>(module, "Job")
      .def(py::init([](Config config, fs::path model) {
             Job job;
             job.config = std::move(config);
             job.model = std::move(model);
             return job;
           }),
           py::arg("config"), py::arg("model"))
      .def_readwrite("output", &Job::output)
      .def_readwrite("resume", &Job::resume)
      .def_readwrite("calibration", &Job::calibration)
      .def_readwrite("evaluation", &Job::evaluation)
      .def_readwrite("calibration_batch", &Job::calibration_batch)
      .def_readwrite("evaluation_batch", &Job::evaluation_batch)
      .def_readwrite("metrics", &Job::metrics)
      .def_readwrite("postprocess", &Job::postprocess)
      .def_readwrite("evaluate", &Job::evaluate)
      .def_readwrite("strategy", &Job::strategy)
      .def_readwrite("on_saved", &Job::on_saved)
      .def_readwrite("on_log", &Job::on_log)
      .def_readwrite("on_trial", &Job::on_trial)
      .def_readwrite("name", &Job::name)
      // From any thread: the work ends where it next looks.
      .def("stop", [](const Job& job) { *job.stopped = true; });
  module.def("tune", &run_tune);
  module.def("quantize", &run_quantize);
  module.def("evaluate", &run_evaluate);
  module.def("first_inputs", &first_inputs);
  module.def("batches", &first_batches);
}

}  // namespace lpot::python
