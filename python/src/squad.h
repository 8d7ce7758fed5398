#pragma once
#include "python/src/arrays.h"

namespace lpot::python {

void bind_squad(py::module_&);

}  // namespace lpot::python
