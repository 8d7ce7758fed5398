#include "python/src/data.h"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lpot/config/load.h"
#include "lpot/core/error.h"
#include "lpot/data/datasets/bert.h"

namespace lpot::python {
namespace {

constexpr std::size_t kMaxBytesInMemory = std::size_t{1} << 30;

}  // namespace

Tensor CollectedData::store(Tensor tensor) {
  bytes_ += tensor.byte_size();
  if (bytes_ <= kMaxBytesInMemory || tensor.byte_size() == 0) return tensor;
  const auto fail = [] {
    throw StoreError("data",
                     fmt::format("cannot write the data of the loader to a temporary file: {}. Free disk space, "
                                 "or use fewer samples.",
                                 std::strerror(errno)));
  };
  if (!file_) file_.reset(std::tmpfile());
  if (!file_) fail();
  const int file = ::fileno(file_.get());
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t length = tensor.byte_size();
  for (std::size_t done = 0; done < length;) {
    const ssize_t written =
        ::pwrite(file, tensor.bytes() + done, length - done, static_cast<off_t>(file_bytes_ + done));
    if (written <= 0) fail();
    done += static_cast<std::size_t>(written);
  }
  void* mapped = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, static_cast<off_t>(file_bytes_));
  if (mapped == MAP_FAILED) fail();
  file_bytes_ += (length + page - 1) / page * page;
  bytes_ -= length;
  return Tensor(tensor.element_type(), tensor.shape(),
                std::shared_ptr<void>(mapped, [length](void* address) { ::munmap(address, length); }));
}

void CollectedData::add(std::vector<Tensor> inputs, const Tensor& labels, std::size_t count) {
  for (Tensor& input : inputs) input = store(std::move(input));
  if (count == 0) {
    samples_.push_back({std::move(inputs), labels});
    return;
  }
  for (std::size_t row = 0; row < count; ++row) {
    Sample sample;
    for (const Tensor& input : inputs) sample.inputs.push_back(input.slice(row));
    if (!labels.empty()) sample.label = labels.slice(row);
    samples_.push_back(std::move(sample));
  }
}

bool CollectedData::has_uniform_shapes() const {
  return std::all_of(samples_.begin(), samples_.end(), [&](const Sample& sample) {
    return std::equal(sample.inputs.begin(), sample.inputs.end(), samples_.front().inputs.begin(),
                      samples_.front().inputs.end(),
                      [](const Tensor& a, const Tensor& b) { return a.shape() == b.shape(); });
  });
}

void bind_data(py::module_& module) {
  py::class_<Dataset, std::shared_ptr<Dataset>>(module, "Dataset")
      .def("__len__", &Dataset::size)
      .def("__getitem__",
           [](const Dataset& data, std::size_t index) {
             if (index >= data.size()) throw py::index_error();
             const Sample sample = data.at(index);
             return py::make_tuple(to_arrays(sample.inputs),
                                   sample.label.empty() ? py::object(py::none()) : py::object(to_array(sample.label)));
           })
      .def_property_readonly("input_names", &Dataset::input_names)
      .def("identity", &Dataset::identity);
  py::class_<CollectedData, Dataset, std::shared_ptr<CollectedData>>(module, "CollectedData")
      .def(py::init<std::vector<std::string>>(), py::arg("names"))
      .def(
          "add",
          [](CollectedData& data, const py::list& inputs, const py::object& labels, std::size_t count) {
            data.add(to_tensors(inputs), labels.is_none() ? Tensor() : to_tensor(labels), count);
          },
          py::arg("inputs"), py::arg("labels"), py::arg("count"))
      .def_property_readonly("has_uniform_shapes", &CollectedData::has_uniform_shapes);
  // The text is in YAML, as in a configuration: "GLUE: {root: ./MRPC, task: mrpc}".
  module.def("dataset", [](const std::string& text) -> std::shared_ptr<Dataset> {
    const py::gil_scoped_release released;
    return make_dataset(parse_component(text, datasets()));
  });
  module.def("record_dataset", [](const std::string& file) -> std::shared_ptr<Dataset> {
    const py::gil_scoped_release released;
    Component component{"bert", Parameters({{"root", file}, {"task", std::string("squad")}}), {}};
    return make_bert_records(component);
  });
}

}  // namespace lpot::python
