#include "python/src/callbacks.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "lpot/core/error.h"
#include "lpot/report/result.h"

namespace lpot::python {
namespace {

thread_local SharedObject last_cause;

// Passes outputs and labels as lists of arrays. lpot/metric/__init__.py converts them to what user metrics expect.
class PythonMetric : public Metric {
 public:
  PythonMetric(std::string name, SharedObject create) : name_(std::move(name)), create_(std::move(create)) {
    call_python(name_, [&] {
      metric_ = share((*create_)());
      higher_is_better_ = metric_->attr("higher_is_better").cast<bool>();
    });
  }

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    call_python(name_, [&] {
      py::list given;
      for (const Tensor& label : labels)
        given.append(label.empty() ? py::object(py::none()) : py::object(to_array(label)));
      metric_->attr("update")(to_arrays(outputs), given);
    });
  }
  void merge(const Metric&) override { throw Error(name_, "merging is not supported for Python metrics"); }
  double result() const override {
    return call_python(name_, [&] { return metric_->attr("result")().cast<double>(); });
  }
  std::unique_ptr<Metric> fresh() const override { return std::make_unique<PythonMetric>(name_, create_); }
  bool higher_is_better() const override { return higher_is_better_; }

 private:
  std::string name_;
  SharedObject create_, metric_;
  bool higher_is_better_ = true;
};

class PythonPostprocess : public Postprocess {
 public:
  explicit PythonPostprocess(SharedObject function) : function_(std::move(function)) {}

  BatchResult apply(BatchResult batch) const override {
    return call_python("postprocess", [&] {
      const py::tuple answer = (*function_)(to_arrays(batch.outputs), to_arrays(batch.labels));
      return BatchResult{to_tensors(answer[0]), to_tensors(answer[1])};
    });
  }

 private:
  SharedObject function_;
};

class PythonStrategy : public Strategy {
 public:
  PythonStrategy(std::string name, SharedObject strategy) : name_(std::move(name)), strategy_(std::move(strategy)) {}

  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    const auto plan = call_python(name_, [&]() -> std::optional<Plan> {
      const py::object answer = strategy_->attr("next")(py::cast(space), history.trials, history.goal);
      if (answer.is_none()) return std::nullopt;
      if (!py::isinstance<Plan>(answer))
        throw CallerError(name_, fmt::format("next() returned a {}; expected a plan created with space.plan(), or None",
                                             type_name(answer)));
      return answer.cast<Plan>();
    });
    if (!plan) return std::nullopt;
    if (history.find(*plan))
      throw CallerError(name_, "next() returned a plan that was already tried. Return None to end the search.");
    return Step{*plan};
  }

 private:
  std::string name_;
  SharedObject strategy_;
};

Plan plan_of_choice(const SearchSpace& space, std::size_t choice, const std::vector<std::string>& fallback) {
  if (choice >= space.model_choices.size())
    throw ConfigError("strategy", fmt::format("plan(choice={}): choice is out of range; expected less than {}", choice,
                                              space.model_choices.size()));
  Plan plan = space.plan(space.model_choices[choice], fallback);
  plan.sampling_size = space.sampling_sizes.front();
  plan.recipes = space.recipes.front();
  return plan;
}

std::vector<std::string> op_names(const SearchSpace& space) {
  std::vector<std::string> names;
  for (const OpSpace& op : space.ops) names.push_back(op.name);
  return names;
}

}  // namespace

void raise_caller_error(const std::string& where, const py::error_already_set& error) {
  if (error.matches(PyExc_KeyboardInterrupt)) throw Interrupted();
  if (!error.matches(PyExc_Exception)) throw error;
  last_cause = share(error.value());
  const std::string type = py::str(error.type().attr("__name__")).cast<std::string>();
  throw CallerError(where, fmt::format("raised {}: {}", type, py::str(error.value()).cast<std::string>()));
}

py::object pop_cause() {
  const SharedObject cause = std::move(last_cause);
  last_cause.reset();
  return cause ? *cause : py::none();
}

std::shared_ptr<const Metric> python_metric(std::string name, py::object create) {
  return std::make_shared<PythonMetric>(std::move(name), share(std::move(create)));
}
std::shared_ptr<const Postprocess> python_postprocess(py::object function) {
  return std::make_shared<PythonPostprocess>(share(std::move(function)));
}
std::shared_ptr<const Strategy> python_strategy(std::string name, py::object strategy) {
  return std::make_shared<PythonStrategy>(std::move(name), share(std::move(strategy)));
}

void bind_callbacks(py::module_& module) {
  py::class_<Plan>(module, "Plan")
      .def_property_readonly("fallback", &Plan::fallback)
      .def_property_readonly("int8_count", &Plan::int8_count)
      .def("to_json", [](const Plan& plan) { return to_json(plan); })
      .def("__eq__", [](const Plan& a, const Plan& b) { return a == b; })
      .def("__repr__", [](const Plan& plan) { return fmt::format("<lpot plan: {}>", describe_precisions(plan)); });
  py::class_<SearchSpace>(module, "SearchSpace")
      .def_property_readonly("ops", &op_names)
      .def_property_readonly("choices", [](const SearchSpace& space) { return space.model_choices.size(); })
      .def("plan", &plan_of_choice, py::arg("choice") = 0, py::arg("fallback") = std::vector<std::string>{});
  py::class_<Goal>(module, "Goal")
      .def_readonly("baseline", &Goal::baseline)
      .def_property_readonly("threshold", &Goal::threshold)
      .def("met", &Goal::met)
      .def("__repr__", &Goal::describe);
  py::class_<Trial>(module, "Trial")
      .def_readonly("number", &Trial::number)
      .def_readonly("plan", &Trial::plan)
      .def_readonly("error", &Trial::error)
      .def_readonly("seconds", &Trial::seconds)
      .def_property_readonly(
          "accuracy",
          [](const Trial& trial) { return trial.result ? std::optional(trial.result->accuracy) : std::nullopt; })
      .def_property_readonly(
          "latency_ms",
          [](const Trial& trial) { return trial.result ? std::optional(trial.result->latency_ms) : std::nullopt; })
      .def_property_readonly("fp32_latency_ms",
                             [](const Trial& trial) {  // in the same run
                               return trial.result ? std::optional(fp32_latency_ms(*trial.result)) : std::nullopt;
                             })
      .def_property_readonly(
          "speedup",
          [](const Trial& trial) { return trial.result ? std::optional(trial.result->speedup) : std::nullopt; })
      .def_property_readonly("speedup_spread", [](const Trial& trial) {
        return trial.result && trial.result->speedup_high > 0
                   ? std::optional(std::pair(trial.result->speedup_low, trial.result->speedup_high))
                   : std::nullopt;
      });
}

}  // namespace lpot::python
