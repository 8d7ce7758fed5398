// Metrics, postprocessing, evaluations and strategies that are written in Python.
#pragma once
#include <memory>
#include <string>

#include "lpot/core/observer.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/metrics/metric.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/strategies/strategy.h"
#include "python/src/arrays.h"

namespace lpot::python {

// What an exception of Python becomes on its way through the library: Ctrl-C is Interrupted, an Exception is a
// CallerError in the name of `where` that keeps it as its cause; exits of the interpreter go on as they are.
[[noreturn]] void raise_caller_error(const std::string& where, const py::error_already_set&);

// The exception behind the last CallerError of this thread, and forgets it.
py::object take_cause();

// Runs what calls Python, with the interpreter's lock.
template <typename Call>
auto calling(const std::string& where, Call&& call) {
  const py::gil_scoped_acquire gil;
  try {
    return call();
  } catch (const py::error_already_set& error) {
    raise_caller_error(where, error);
  } catch (const py::cast_error&) {
    throw CallerError(where, "returned a value of another type than expected");
  }
}

// One model of a study, while it is evaluated or saved: for Python to write it in the form that it needs.
struct Candidate {
  const Model* model = nullptr;   // the int8 model; nullptr: the fp32 one
  const Model* source = nullptr;  // both nullptr: the fp32 model
  const Edits* edits = nullptr;

  bool is_fp32() const { return edits == nullptr; }
};

std::shared_ptr<const Metric> python_metric(std::string name, py::object make);
std::shared_ptr<const Postprocess> python_postprocess(py::object function);
std::shared_ptr<const Strategy> python_strategy(std::string name, py::object strategy);

void bind_callbacks(py::module_&);

}  // namespace lpot::python
