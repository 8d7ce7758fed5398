// Binds the metrics and transforms of the library. They are created by name, as in a configuration.
#pragma once
#include <pybind11/pybind11.h>

namespace lpot::python {

void bind_components(pybind11::module_&);

}  // namespace lpot::python
