// Binds tuning, quantization and evaluation: lpot._core.Job and the functions that run it.
#pragma once
#include "python/src/arrays.h"

namespace lpot::python {

void bind_tuning(py::module_&);

}  // namespace lpot::python
