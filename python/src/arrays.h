// Conversions between tensors of the library and numpy arrays.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot::python {

namespace py = pybind11;

// A Python object that can be released from any thread, with or without the GIL.
using SharedObject = std::shared_ptr<py::object>;
SharedObject share(py::object);

// The name of an object's type, for messages.
// Text for Python. Bytes that are not UTF-8, which paths may have, become U+FFFD.
py::str to_str(std::string_view);

std::string type_name(const py::handle& object);

Tensor to_tensor(const py::handle& array);  // copies; throws DataError for unsupported types
py::array to_array(const Tensor&);          // shares the memory

std::vector<Tensor> to_tensors(const py::handle& arrays);
py::list to_arrays(const std::vector<Tensor>&);

}  // namespace lpot::python
