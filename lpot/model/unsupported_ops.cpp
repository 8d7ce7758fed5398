#include "lpot/model/unsupported_ops.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <openvino/op/util/framework_node.hpp>
#include <openvino/openvino.hpp>
#include <sstream>

#include "lpot/core/error.h"
#include "lpot/core/text.h"
#include "lpot/model/converted_graph.h"
#include "lpot/model/openvino_error.h"
#include "lpot/model/source_graph.h"
#include "lpot/model/tensor_names.h"

namespace lpot {
namespace {

struct OpsInMessage {
  std::set<std::string> unsupported;
  std::map<std::string, std::string> failed;  // known ops whose conversion failed, with the reason
};

// The op type at the start of the text: "Name" of "domain.Name-7".
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

// The ops after the texts with which the front ends report that they do not know an op.
std::set<std::string> unsupported_ops_of_line(const std::string& line) {
  for (const std::string_view begin :
       {"No conversion rule found for operations:", "does not support the following ONNX operations:",
        "Not supported ONNX op:", "No creator found for", "No translator found for",
        "Operation is not supported:", "doesn't contain the operation with type:"})
    if (const auto at = line.find(begin); at != std::string::npos) return split_ops(line.substr(at + begin.size()));
  // TensorFlow Lite: "The translation is incomplete due to operation 33 of type RFFT2D"
  constexpr std::string_view kType = " of type ";
  if (const auto at = line.find(kType);
      at != std::string::npos && line.find("translation is incomplete") != std::string::npos)
    return split_ops(line.substr(at + kType.size()));
  // OpenVINO IR: "Cannot create Mystery layer odd id:1 from unsupported opset: opset99"
  constexpr std::string_view kCannotCreate = "Cannot create ";
  if (const auto at = line.find(kCannotCreate);
      at != std::string::npos && line.find(" from unsupported opset") != std::string::npos)
    return split_ops(line.substr(at + kCannotCreate.size()));
  return {};
}

// The log of failed ops has one block per op: "-- Pad-13 with a message:" and lines of which the last is the reason.
OpsInMessage find_ops(std::string_view message) {
  OpsInMessage found;
  std::string failed_op;
  std::istringstream lines{std::string(message)};
  for (std::string line; std::getline(lines, line);) {
    found.unsupported.merge(unsupported_ops_of_line(line));
    if (line.starts_with("-- ") && line.ends_with(" with a message:")) {
      failed_op = op_type(line.substr(3));
    } else if (line.starts_with("Summary:")) {
      failed_op.clear();
    } else if (const std::string reason = shorten_openvino_message(line); !failed_op.empty() && !reason.empty()) {
      found.failed[failed_op] = reason;
    }
  }
  return found;
}

std::string describe(const OpsInMessage& found) {
  std::vector<std::string> sentences;
  if (!found.unsupported.empty())
    sentences.push_back(
        fmt::format("OpenVINO does not support these operations: {}", fmt::join(found.unsupported, ", ")));
  for (const auto& [op, reason] : found.failed) {
    const std::string_view text = std::string_view(reason).substr(0, reason.size() - (reason.ends_with('.') ? 1 : 0));
    sentences.push_back(fmt::format("OpenVINO does not support the operation {} as this model uses it: {}", op, text));
  }
  return fmt::format("{}", fmt::join(sentences, ". "));
}

// Whether ops failed because a shape or a type is unknown that fixed input shapes may determine.
bool lacks_shapes(const OpsInMessage& found) {
  return std::any_of(found.failed.begin(), found.failed.end(), [](const auto& op) {
    const std::string reason = lower(op.second);
    return reason.find("rank") != std::string::npos || reason.find("static") != std::string::npos ||
           reason.find("dynamic") != std::string::npos;
  });
}

// "{input: [?, ?], state: [2, ?, 128]}", or "" if all shapes are fixed.
std::string dynamic_shapes(const ov::Model& graph) {
  std::vector<std::string> shapes;
  for (const auto& input : graph.inputs()) {
    const ov::PartialShape& shape = input.get_partial_shape();
    if (shape.is_static() || input.get_names().empty()) continue;
    std::vector<std::string> dimensions;
    if (shape.rank().is_static())
      for (const ov::Dimension& dimension : shape)
        dimensions.push_back(dimension.is_static() ? std::to_string(dimension.get_length()) : "?");
    shapes.push_back(fmt::format("{}: [{}]", short_tensor_name(input.get_any_name()),
                                 dimensions.empty() ? "..." : fmt::format("{}", fmt::join(dimensions, ", "))));
  }
  return shapes.empty() ? "" : fmt::format("{{{}}}", fmt::join(shapes, ", "));
}

// Sentences that say what to do; empty if nothing but another export helps.
std::vector<std::string> advise_with_partial_graph(const OpsInMessage& found, const ModelFiles& files,
                                                   const LoadOptions& options) {
  std::vector<std::string> advice;
  const auto graph = convert_partially(files, options);
  if (const std::string shapes = dynamic_shapes(*graph); lacks_shapes(found) && !shapes.empty())
    advice.push_back(fmt::format(
        "Fixed input shapes may be enough: set \"input_shapes: {}\" under \"model:\", with a number for each ?",
        shapes));
  const CutAdvice cut = advise_cut(to_source_graph(*graph), {}, options.outputs);
  if (const std::string sentence = to_sentence(cut); cut.kernels > 0 && !sentence.empty())
    advice.push_back(advice.empty() ? sentence : "Or cut" + sentence.substr(std::string_view("Cut").size()));
  return advice;
}

std::string advise(const OpsInMessage& found, const ModelFiles& files, const LoadOptions& options) {
  std::vector<std::string> advice;
  try {
    if (files.format == ModelFormat::Onnx || files.format == ModelFormat::TensorFlowLite)
      advice = advise_with_partial_graph(found, files, options);
    // A cut that is found by op types avoids all ops of a type, so it cannot be proposed if only some of them fail.
    if (advice.empty() && found.failed.empty()) {
      const SourceGraph graph = read_source_graph(files.path, files.format);
      advice.push_back(to_sentence(advise_cut(graph, found.unsupported, options.outputs)));
    }
  } catch (const DataError&) {  // no advice for a file that cannot be read here
  } catch (const ov::Exception&) {
  }
  std::erase(advice, "");
  if (advice.empty())
    advice.emplace_back(found.failed.empty() ? "Export the model without them"
                                             : "Export the model with other operations");
  return fmt::format("{}", fmt::join(advice, ". "));
}

}  // namespace

std::set<std::string> unsupported_ops(const ov::Model& graph) {
  std::set<std::string> ops;
  for (const auto& node : graph.get_ops())
    if (const auto unknown = ov::as_type_ptr<ov::op::util::FrameworkNode>(node))
      ops.insert(op_type(unknown->get_attrs().get_type_name()));
  return ops;
}

std::string explain_unsupported_ops(const ModelFiles& files, std::string_view message, const LoadOptions& options) {
  const OpsInMessage found = find_ops(message);
  if (found.unsupported.empty() && found.failed.empty()) return "";
  return fmt::format("{}. {}", describe(found), advise(found, files, options));
}

}  // namespace lpot
