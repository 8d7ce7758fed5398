// Calls metrics, postprocessing, evaluation functions and strategies that are written in Python.
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

// Converts a Python exception to one of the library. KeyboardInterrupt becomes Interrupted. Other Exceptions become a
// CallerError of the operation `where`, with the exception as its cause. SystemExit and the like are thrown unchanged.
[[noreturn]] void raise_caller_error(const std::string& where, const py::error_already_set&);

// Returns and clears the cause of the last CallerError of this thread; None if there is none.
py::object pop_cause();

// Runs `call` with the GIL and converts Python exceptions with raise_caller_error.
template <typename Call>
auto call_python(const std::string& where, Call&& call) {
  const py::gil_scoped_acquire gil;
  try {
    return call();
  } catch (const py::error_already_set& error) {
    raise_caller_error(where, error);
  } catch (const py::cast_error&) {
    throw CallerError(where, "returned a value of an unexpected type");
  }
}

// A model that is being evaluated or saved. Python converts it to the format of the framework.
struct Candidate {
  const Model* model = nullptr;  // the int8 model; nullptr: built from source and edits
  const Model* source = nullptr;
  const Edits* edits = nullptr;  // nullptr: this is the fp32 model

  bool is_fp32() const { return edits == nullptr; }
};

std::shared_ptr<const Metric> python_metric(std::string name, py::object create);
std::shared_ptr<const Postprocess> python_postprocess(py::object function);
std::shared_ptr<const Strategy> python_strategy(std::string name, py::object strategy);

void bind_callbacks(py::module_&);

}  // namespace lpot::python
