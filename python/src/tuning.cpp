#include "python/src/tuning.h"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <atomic>

#include "lpot/core/clock.h"
#include "lpot/model/save.h"
#include "lpot/quantize/writers/onnx.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/report/deployment_files.h"
#include "lpot/report/result.h"
#include "lpot/runtime/fit.h"
#include "lpot/tune/auto_config/agreement_metric.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/tune.h"
#include "python/src/callbacks.h"
#include "python/src/data.h"
#include "python/src/edits.h"

namespace lpot::python {
namespace {

namespace fs = std::filesystem;

// The inputs of one tuning run from Python. Where a member is empty, the configuration applies.
struct Job {
  Config config;
  fs::path model, output;
  bool resume = false;
  bool compares_with_fp32 = false;  // the metric is chosen from the outputs of the fp32 model
  std::shared_ptr<Dataset> calibration, evaluation;
  std::size_t calibration_batch = 1, evaluation_batch = 1;
  std::vector<std::pair<std::string, py::object>> metrics;  // name and factory function
  std::vector<py::object> postprocess;
  py::object evaluate = py::none();  // (Candidate) -> accuracy
  py::object strategy = py::none();
  py::object on_saved = py::none();     // (Candidate, Plan, folder)
  py::object on_log = py::none();       // (level, message)
  py::object on_progress = py::none();  // (stage, done, total)
  py::object on_baseline = py::none();  // (Goal)
  py::object on_trial = py::none();     // (Trial, is_best)
  std::string name = "eval_func";
  std::shared_ptr<std::atomic<bool>> stopped = std::make_shared<std::atomic<bool>>(false);
};

// Selects the progress steps to report: the first and the last of a stage, and one every 0.1 s. There may be thousands
// of steps per second.
class ReportTimer {
 public:
  bool is_due(const Progress& step) {
    const bool due = step.stage != stage_ || step.done >= step.total || seconds_since(last_) >= 0.1;
    if (due) {
      stage_ = step.stage;
      last_ = Clock::now();
    }
    return due;
  }

 private:
  std::string stage_;
  Clock::time_point last_ = {};
};

Observer observer_for(const Job& job) {
  Observer observer;
  observer.should_stop = [stopped = job.stopped] { return stopped->load(); };
  // Observers must not throw. After an interruption, the library stops at its next check.
  const auto notify = [stopped = job.stopped](const char* name, const auto& call) {
    try {
      call_python(name, call);
    } catch (const Interrupted&) {
      *stopped = true;
    }
  };
  if (!job.on_log.is_none())
    observer.on_log = [notify, log = share(job.on_log)](LogLevel level, std::string_view message) {
      notify("log", [&] { (*log)(static_cast<int>(level), to_str(message)); });
    };
  if (!job.on_progress.is_none())
    observer.on_progress = [notify, report = share(job.on_progress),
                            timer = ReportTimer()](const Progress& step) mutable {
      if (timer.is_due(step)) notify("progress", [&] { (*report)(std::string(step.stage), step.done, step.total); });
    };
  return observer;
}

double evaluate_in_python(const py::object& function, const std::string& name, const Candidate& candidate) {
  return call_python(name, [&] {
    const py::object result = function(candidate);
    if (py::isinstance<py::str>(result) || !PyNumber_Check(result.ptr()))
      throw CallerError(name, fmt::format("returned {} ({}); expected the accuracy as a number",
                                          py::repr(result).cast<std::string>(), type_name(result)));
    return py::float_(result).cast<double>();
  });
}

// Python loaders yield complete model inputs, so they replace the data set and transforms of the configuration.
Config config_of(const Job& job) {
  Config config = job.config;
  if (job.calibration) config.quantization.calibration = LoaderConfig{.batch_size = job.calibration_batch};
  if (job.evaluation) config.accuracy.loader = LoaderConfig{.batch_size = job.evaluation_batch};
  return config;
}

// `current` is the candidate that the library reported last, through on_quantized.
EvaluationFunction evaluation_function(const Job& job, std::shared_ptr<const Candidate> current) {
  return [current = std::move(current), name = job.name,
          function = share(job.evaluate)](const EvaluationRequest& request) {
    if (request.is_fp32) return evaluate_in_python(*function, name, {});
    return evaluate_in_python(*function, name, {&request.model, current->source, current->edits});
  };
}

UserComponents user_components(const Job& job, std::shared_ptr<const Candidate> current) {
  UserComponents user;
  user.calibration_data = job.calibration;
  user.evaluation_data = job.evaluation;
  for (const auto& [name, create] : job.metrics) user.metrics.push_back({name, python_metric(name, create)});
  for (const py::object& step : job.postprocess) user.postprocess.push_back(python_postprocess(step));
  if (!job.strategy.is_none()) user.strategy = {"strategy", python_strategy("strategy", job.strategy)};
  if (!job.evaluate.is_none()) user.evaluation = {job.name, evaluation_function(job, std::move(current))};
  return user;
}

TuneOptions options_of(const Job& job) {
  const auto current = std::make_shared<Candidate>();
  TuneOptions options;
  options.model = job.model;
  options.output = job.output;
  options.resume = job.resume;
  options.shared_workspace = true;  // a module that was trained again may use the workspace of the old one
  options.command = "python";
  options.user = user_components(job, current);
  options.on_quantized = [current](const Model& source, const Edits& edits) {
    current->source = &source;
    current->edits = &edits;
  };
  if (!job.on_saved.is_none())
    options.on_saved = [function = share(job.on_saved)](const Model& source, const Plan& plan, const Edits& edits,
                                                        const fs::path& folder) {
      call_python("save", [&] { (*function)(Candidate{nullptr, &source, &edits}, plan, folder); });
    };
  if (!job.on_baseline.is_none())
    options.on_baseline = [function = share(job.on_baseline)](const Measurement&, const Goal& goal) {
      call_python("on_baseline", [&] { (*function)(goal); });
    };
  if (!job.on_trial.is_none())
    options.on_trial = [function = share(job.on_trial)](const Trial& trial, bool is_best) {
      call_python("on_trial", [&] { (*function)(trial, is_best); });
    };
  return options;
}

py::dict run_tune(const Job& job) {
  Config config = config_of(job);
  const TuneOptions options = options_of(job);
  const Observer observer = observer_for(job);
  const TuneResult result = [&] {
    const py::gil_scoped_release released;
    if (job.compares_with_fp32 && has_evaluation_data(config, options.user))
      use_agreement_metric(config, load_configured_model(config, options.model),
                           evaluation_loader(config, options.user), observer);
    return tune(config, options, observer);
  }();
  py::dict answer;
  answer["json"] = result_json(result);
  answer["text"] = to_str(result_text(result));
  answer["model"] = result.model;
  answer["workspace"] = result.workspace;
  answer["interrupted"] = result.reason == StopReason::Interrupted;
  answer["reason"] = std::string(to_string(result.reason));
  answer["trials"] = result.trials;
  answer["plan"] = result.best ? py::cast(result.best->plan) : py::none();
  return answer;
}

py::dict run_quantize(const Job& job) {
  const Config config = config_of(job);
  const TuneOptions options = options_of(job);
  const Observer observer = observer_for(job);
  const QuantizeResult result = [&] {
    const py::gil_scoped_release released;
    return quantize_once(config, options, observer);
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
  const Config config = config_of(job);
  const TuneOptions options = options_of(job);
  const Observer observer = observer_for(job);
  const py::gil_scoped_release released;
  const Model model = load_configured_model(config, options.model);
  return make_evaluator(config, options.user)->baseline(model, observer).metrics;
}

// The first sample of the configured calibration data, as a batch of one. PyTorch modules are traced with it.
py::list first_inputs(const Config& config) {
  std::vector<Tensor> inputs;
  {
    const py::gil_scoped_release released;
    const DataLoader loader = calibration_loader(config).value;
    if (loader.size() == 0) throw DataError("data", "the calibration data set is empty; expected at least one sample");
    for (const Tensor& input : loader.sample(0).inputs) inputs.push_back(stack({input}));
  }
  return to_arrays(inputs);
}

// The first `count` batches of the evaluation data, as inputs of the model.
py::list first_batches(const Job& job, std::size_t count) {
  const Config config = config_of(job);
  const TuneOptions options = options_of(job);
  std::vector<std::vector<Tensor>> all_inputs;
  {
    const py::gil_scoped_release released;
    const Model model = load_configured_model(config, options.model);
    const DataLoader loader = evaluation_loader(config, options.user);
    const InputFit fit(model, loader.dataset().input_naming());
    auto batches = loader.read();
    while (all_inputs.size() < count) {
      const auto batch = batches.next();
      if (!batch) break;
      all_inputs.push_back(fit.apply(batch->inputs));
    }
  }
  if (all_inputs.empty()) throw DataError("data", "the evaluation data set is empty; expected at least one sample");
  py::list answer;
  for (const std::vector<Tensor>& inputs : all_inputs) answer.append(to_arrays(inputs));
  return answer;
}

void bind_candidate(py::module_& module) {
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
}

void bind_job(py::module_& module) {
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
      .def_readwrite("compares_with_fp32", &Job::compares_with_fp32)
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
      .def_readwrite("on_progress", &Job::on_progress)
      .def_readwrite("on_baseline", &Job::on_baseline)
      .def_readwrite("on_trial", &Job::on_trial)
      .def_readwrite("name", &Job::name)
      // Can be called from any thread. The work ends at its next check.
      .def("stop", [](const Job& job) { *job.stopped = true; });
}

}  // namespace

void bind_tuning(py::module_& module) {
  bind_candidate(module);
  bind_job(module);
  module.def("tune", &run_tune);
  module.def("quantize", &run_quantize);
  module.def("evaluate", &run_evaluate);
  module.def("first_inputs", &first_inputs);
  module.def("batches", &first_batches);
  module.def("deployment_files", &deployment_files);
  module.def("deployed_source", &deployed_source);
  module.def("check_replaces_no_source", &check_replaces_no_source);
}

}  // namespace lpot::python
