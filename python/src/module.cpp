// The extension module lpot._core, which the Python package lpot is built on.
#include <pybind11/pybind11.h>

#include "lpot/core/error.h"
#include "lpot/core/version.h"
#include "python/src/callbacks.h"
#include "python/src/components.h"
#include "python/src/config.h"
#include "python/src/data.h"
#include "python/src/program.h"
#include "python/src/squad.h"
#include "python/src/tuning.h"

namespace {

namespace py = pybind11;

// The exception classes are defined in Python (lpot/errors.py).
void raise_as(const char* name, const std::exception& error) {
  const py::object type = py::module_::import("lpot.errors").attr(name);
  py::object raised = type(lpot::python::to_str(error.what()));
  const py::object cause = lpot::python::pop_cause();
  if (!cause.is_none()) raised.attr("__cause__") = cause;
  PyErr_SetObject(type.ptr(), raised.ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const lpot::ConfigError& error) {
    raise_as("ConfigError", error);
  } catch (const lpot::ModelError& error) {
    raise_as("ModelError", error);
  } catch (const lpot::DataError& error) {
    raise_as("DataError", error);
  } catch (const lpot::StoreError& error) {
    raise_as("StoreError", error);
  } catch (const lpot::CallerError& error) {
    raise_as("CallerError", error);
  } catch (const lpot::Error& error) {
    raise_as("Error", error);
  } catch (const lpot::Interrupted& error) {
    raise_as("Interrupted", error);
  }
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.attr("__version__") = std::string(lpot::kVersion);
  py::register_exception_translator(&translate);
  lpot::python::bind_data(module);
  lpot::python::bind_components(module);
  lpot::python::bind_callbacks(module);
  lpot::python::bind_config(module);
  lpot::python::bind_tuning(module);
  lpot::python::bind_program(module);
  lpot::python::bind_squad(module);
}
