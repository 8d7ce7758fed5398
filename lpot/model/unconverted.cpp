#include "lpot/model/unconverted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <openvino/op/util/framework_node.hpp>
#include <openvino/openvino.hpp>
#include <sstream>

#include "lpot/core/error.h"
#include "lpot/core/text.h"
#include "lpot/model/source_graph.h"

namespace lpot {
namespace {

// "domain.Name-7" or "Name" up to what is no part of a name.
std::string op_type(std::string text) {
  text = trim(text);
  text.resize(std::min(text.find_first_of(" \t\n:()"), text.size()));
  if (const auto dot = text.rfind('.'); dot != std::string::npos) text.erase(0, dot + 1);
  if (const auto dash = text.rfind('-'); dash != std::string::npos) text.resize(dash);
  return text;
}

std::set<std::string> split_ops(const std::string& list) {
  std::set<std::string> ops;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');)
    if (std::string op = op_type(word); !op.empty()) ops.insert(std::move(op));
  return ops;
}

// The front ends' ways to begin such a list.
std::set<std::string> ops_in_message(std::string_view message) {
  std::istringstream lines{std::string(message)};
  for (std::string line; std::getline(lines, line);)
    for (const std::string_view begin :
         {"No conversion rule found for operations:", "does not support the following ONNX operations:",
          "Not supported ONNX op:", "No creator found for", "Operation is not supported:"})
      if (const auto at = line.find(begin); at != std::string::npos) return split_ops(line.substr(at + begin.size()));
  return {};
}

}  // namespace

std::set<std::string> unconverted_ops(const ov::Model& graph) {
  std::set<std::string> ops;
  for (const auto& node : graph.get_ops())
    if (const auto unknown = ov::as_type_ptr<ov::op::util::FrameworkNode>(node))
      ops.insert(op_type(unknown->get_attrs().get_type_name()));
  return ops;
}

std::string explain_unconverted(const ModelFiles& files, std::string_view message,
                                const std::vector<std::string>& outputs) {
  const std::set<std::string> ops = ops_in_message(message);
  if (ops.empty()) return "";
  std::string sentence = fmt::format("ops that cannot be converted: {}", fmt::join(ops, ", "));
  try {
    const std::string cut = to_sentence(advise_cut(read_source_graph(files.path, files.format), ops, outputs));
    if (!cut.empty()) sentence += "; " + cut;
  } catch (const DataError&) {
    // A file of another layout than this reader knows: the names of the ops have to do.
  }
  return sentence;
}

}  // namespace lpot
