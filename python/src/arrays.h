// Tensors of the library and arrays of numpy.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot::python {

namespace py = pybind11;

// A Python object that may be let go of from any thread.
using Held = std::shared_ptr<py::object>;
Held hold(py::object);

Tensor to_tensor(const py::handle& array);  // copies; throws DataError for types that models do not have
py::array to_array(const Tensor&);          // shares the bytes

std::vector<Tensor> to_tensors(const py::handle& arrays);
py::list to_arrays(const std::vector<Tensor>&);

}  // namespace lpot::python
