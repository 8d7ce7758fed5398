// Binds SQuAD v1.1: token windows of questions, answers from logits, and scores.
#pragma once
#include "python/src/arrays.h"

namespace lpot::python {

void bind_squad(py::module_&);

}  // namespace lpot::python
