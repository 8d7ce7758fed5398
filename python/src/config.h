// Binds configurations: lpot._core.Config and load_config.
#pragma once
#include "python/src/arrays.h"

namespace lpot::python {

void bind_config(py::module_&);

}  // namespace lpot::python
