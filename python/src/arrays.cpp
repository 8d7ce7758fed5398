#include "python/src/arrays.h"

#include <fmt/format.h>

#include <cstring>

#include "lpot/core/error.h"

namespace lpot::python {
namespace {

ElementType element_type(const py::array& array) {
  const char kind = array.dtype().kind();
  const auto bytes = array.itemsize();
  if (kind == 'b') return ElementType::Bool;
  if (kind == 'f') {
    if (bytes == 2) return ElementType::F16;
    if (bytes == 4) return ElementType::F32;
    if (bytes == 8) return ElementType::F64;
  }
  if (kind == 'i' || kind == 'u') {
    const bool is_signed = kind == 'i';
    if (bytes == 1) return is_signed ? ElementType::I8 : ElementType::U8;
    if (bytes == 2) return is_signed ? ElementType::I16 : ElementType::U16;
    if (bytes == 4) return is_signed ? ElementType::I32 : ElementType::U32;
    if (bytes == 8) return is_signed ? ElementType::I64 : ElementType::U64;
  }
  throw DataError("data", fmt::format("unsupported array type {}; expected integers, floats or booleans",
                                      py::str(array.dtype()).cast<std::string>()));
}

py::dtype numpy_type(ElementType type) {
  if (type == ElementType::Bool) return py::dtype("bool");
  if (type == ElementType::BF16)
    throw DataError("data", "the tensor has type bf16, which numpy does not support. Convert the model output to f32.");
  const std::string name(to_string(type));  // "f32", "u8"
  return py::dtype(fmt::format("{}{}", name[0], std::stoi(name.substr(1)) / 8));
}

}  // namespace

SharedObject share(py::object object) {
  return {new py::object(std::move(object)), [](py::object* shared) {
            if (!Py_IsInitialized()) return;  // the interpreter has exited and freed its objects
            const py::gil_scoped_acquire gil;
            delete shared;
          }};
}

py::str to_str(std::string_view text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

std::string type_name(const py::handle& object) {
  return py::str(py::type::of(object).attr("__name__")).cast<std::string>();
}

Tensor to_tensor(const py::handle& given) {
  py::array array = py::array::ensure(given, py::array::c_style);
  if (!array) {
    PyErr_Clear();
    throw DataError("data",
                    fmt::format("cannot convert a {} to a tensor; expected an array of numbers", type_name(given)));
  }
  if (!array.dtype().attr("isnative").cast<bool>())
    array = array.attr("astype")(array.dtype().attr("newbyteorder")("="));
  Tensor tensor(element_type(array), Shape(array.shape(), array.shape() + array.ndim()));
  std::memcpy(tensor.bytes(), array.data(), tensor.byte_size());
  return tensor;
}

py::array to_array(const Tensor& tensor) {
  const py::capsule owner(new Tensor(tensor), [](void* copy) { delete static_cast<Tensor*>(copy); });
  return py::array(numpy_type(tensor.element_type()), tensor.shape(), tensor.bytes(), owner);
}

std::vector<Tensor> to_tensors(const py::handle& arrays) {
  std::vector<Tensor> tensors;
  for (const py::handle& array : arrays) tensors.push_back(to_tensor(array));
  return tensors;
}

py::list to_arrays(const std::vector<Tensor>& tensors) {
  py::list arrays;
  for (const Tensor& tensor : tensors) arrays.append(to_array(tensor));
  return arrays;
}

}  // namespace lpot::python
