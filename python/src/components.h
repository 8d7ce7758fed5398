// The library's metrics and transforms as objects, made by the names that a configuration gives them.
#pragma once
#include <pybind11/pybind11.h>

namespace lpot::python {

void bind_components(pybind11::module_&);

}  // namespace lpot::python
