#include "lpot/model/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <openvino/openvino.hpp>
#include <regex>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/mapped_file.h"
#include "lpot/model/bodies.h"
#include "lpot/model/model.h"
#include "lpot/model/onnx_file.h"
#include "lpot/model/wire_check.h"

namespace lpot {
namespace {

// Whether a name consists of a type and a number ("Transpose_3621"). The number counts all ops of the process. The type
// may be wrong, because passes copy names to ops of other types.
bool looks_generated(const std::string& name) {
  const auto underscore = name.rfind('_');
  if (underscore == 0 || underscore == std::string::npos || underscore + 1 == name.size()) return false;
  return std::isupper(static_cast<unsigned char>(name[0])) != 0 &&
         std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(underscore),
                     [](unsigned char letter) { return std::isalnum(letter) != 0; }) &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(underscore) + 1, name.end(),
                     [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

std::set<std::string> read_xml_names(const std::filesystem::path& path) {
  std::set<std::string> names;
  std::ifstream file(path);
  const std::regex attribute(R"re( name="([A-Z][A-Za-z0-9]*_[0-9]+)")re");
  for (std::string line; std::getline(file, line);)
    for (std::sregex_iterator match(line.begin(), line.end(), attribute), end; match != end; ++match)
      names.insert((*match)[1]);
  return names;
}

std::set<std::string> read_onnx_names(const std::filesystem::path& path) {
  std::set<std::string> names;
  const MappedFile file(path);
  try {
    const onnx::GraphProto graph = read_onnx_graph(file.bytes());
    for (const onnx::NodeProto& node : graph.node()) {
      names.insert(node.name());
      names.insert(node.output().begin(), node.output().end());  // a node without a name is named after its output
    }
    names.merge(read_body_names(file.bytes()));
  } catch (const DataError&) {
    // OpenVINO has already converted the file, so an error here is not reported.
  }
  return names;
}

// The texts of a binary file that look generated. A text ends at a byte that is not printable.
std::set<std::string> read_plain_names(const std::filesystem::path& path) {
  std::set<std::string> names;
  std::string text;
  const auto end_text = [&] {
    if (looks_generated(text)) names.insert(text);
    text.clear();
  };
  for (const std::uint8_t letter : read_file(path)) {
    if (std::isgraph(letter) != 0) {
      text += static_cast<char>(letter);
    } else {
      end_text();
    }
  }
  end_text();
  return names;
}

// Names in bodies are unique in the whole file: the front end appends a number, also to the suffix of kernels with a
// bias. "Conv/WithoutBiases_1" becomes "Conv_1/WithoutBiases", which fits the name of its bias, "Conv_1".
std::string with_suffix_last(const std::string& name) {
  const auto suffix = name.rfind(kKernelSuffix);
  if (suffix == std::string::npos || suffix + kKernelSuffix.size() == name.size()) return name;
  const std::string number = name.substr(suffix + kKernelSuffix.size());
  const bool is_number =
      number.size() > 1 && number[0] == '_' && number.find_first_not_of("0123456789", 1) == std::string::npos;
  return is_number ? name.substr(0, suffix) + number + std::string(kKernelSuffix) : name;
}

// `path`: begins the names of all ops of this graph; "" for the main graph. A saved model has the paths already.
void name_ops_below(const ov::Model& graph, const std::string& path, const std::set<std::string>& source_names) {
  std::map<std::string, int> unnamed;
  std::map<std::string, int> seen;
  for (const auto& node : graph.get_ordered_ops()) {
    std::string name = node->get_friendly_name();
    if (looks_generated(name) && !source_names.contains(name))
      name = fmt::format("{}@{}", node->get_type_name(), unnamed[node->get_type_name()]++);
    if (!path.empty() && !name.starts_with(path)) name = path + with_suffix_last(name);
    if (const int repeats = seen[name]++; repeats > 0) name = fmt::format("{}@{}", name, repeats);
    node->set_friendly_name(name);
    for (const Body& body : bodies_of(*node))
      name_ops_below(*body.graph, fmt::format("{}/{}/", name, body.label), source_names);
  }
}

}  // namespace

std::set<std::string> source_names(const ModelFiles& files) {
  std::set<std::string> names;
  switch (files.format) {
    case ModelFormat::OpenVinoIr:
      return read_xml_names(files.path);
    case ModelFormat::Onnx:
      names = read_onnx_names(files.path);
      break;
    case ModelFormat::TensorFlow:
      if (files.is_saved_model()) {
        names = read_wire_texts(files.path / "saved_model.pb", {2, 2, 1, 1});
        names.merge(read_wire_texts(files.path / "saved_model.pb", {2, 2, 2, 1, 3, 1}));  // inside functions
      } else {
        names = read_wire_texts(files.path, {1, 1});
      }
      break;
    // Ops are named after their outputs, and the files contain these names as plain text.
    case ModelFormat::TensorFlowLite:
    case ModelFormat::Paddle:
      return read_plain_names(files.path);
  }
  std::erase_if(names, [](const std::string& name) { return !looks_generated(name); });
  return names;
}

void name_by_tensors(const std::shared_ptr<ov::Model>& graph) {
  for (const auto& node : all_ops(*graph)) {
    const std::string& name = node->get_friendly_name();
    const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || node->get_output_size() == 0 || node->output(0).get_names().empty()) continue;
    const auto& tensors = node->output(0).get_names();
    node->set_friendly_name(*std::min_element(tensors.begin(), tensors.end()));
  }
}

void name_ops(const std::shared_ptr<ov::Model>& graph, const std::set<std::string>& source_names) {
  name_ops_below(*graph, "", source_names);
}

}  // namespace lpot
