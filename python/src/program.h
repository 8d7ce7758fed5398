// Binds lpot._core.Program, which runs a model file.
#pragma once
#include "python/src/arrays.h"

namespace lpot::python {

void bind_program(py::module_&);

}  // namespace lpot::python
