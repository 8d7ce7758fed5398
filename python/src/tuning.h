// Configurations, tuning and quantizing.
#pragma once
#include "python/src/arrays.h"

namespace lpot::python {

void bind_tuning(py::module_&);

}  // namespace lpot::python
