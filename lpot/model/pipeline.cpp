#include "lpot/model/pipeline.h"

#include <algorithm>
#include <set>

#include "lpot/model/tensor_names.h"

namespace lpot {
namespace {

bool names(const std::vector<std::string>& tensors, const std::string& tensor) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const std::string& each) { return same_tensor(each, tensor); });
}

struct Reached {
  std::vector<std::string> fields;  // tensors of iterators
  std::vector<std::string> others;  // named inputs, and placeholders where none are named
};

// What a walk back from the outputs meets first.
Reached walk_back(const SourceGraph& graph, const std::vector<std::string>& outputs,
                  const std::vector<std::string>& inputs) {
  Reached reached;
  const auto add = [](std::vector<std::string>& to, const std::string& tensor) {
    if (!names(to, tensor)) to.push_back(tensor);
  };
  std::set<const SourceNode*> visited;
  std::vector<std::string> open(outputs.rbegin(), outputs.rend());
  while (!open.empty()) {
    const std::string tensor = short_tensor_name(open.back());
    open.pop_back();
    const SourceNode* node = graph.producer(tensor);
    if (!node) continue;
    if (names(inputs, tensor) || (inputs.empty() && node->op.starts_with("Placeholder"))) {
      add(reached.others, tensor);
    } else if (reads_pipeline(*node)) {
      add(reached.fields, tensor);
    } else if (visited.insert(node).second) {
      open.insert(open.end(), node->inputs.rbegin(), node->inputs.rend());
    }
  }
  return reached;
}

// MakeIterator, IteratorToStringHandle, ...: ends of the pipeline, not of the model.
bool handles_iterator(const SourceNode& node) { return node.op == "MakeIterator" || node.op.starts_with("Iterator"); }

// By the number of the field.
bool before(const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }

}  // namespace

LoadOptions begin_behind_pipeline(const SourceGraph& graph, LoadOptions options) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), reads_pipeline)) return options;
  std::vector<std::string> outputs = options.outputs.empty() ? graph.ends() : options.outputs;
  std::erase_if(outputs, [&](const std::string& end) {
    const SourceNode* node = graph.producer(end);
    return options.outputs.empty() && node && handles_iterator(*node);
  });
  Reached reached = walk_back(graph, outputs, options.inputs);
  if (reached.fields.empty()) return options;
  std::sort(reached.fields.begin(), reached.fields.end(), before);
  options.inputs = std::move(reached.fields);
  options.inputs.insert(options.inputs.end(), reached.others.begin(), reached.others.end());
  options.outputs = std::move(outputs);
  return options;
}

}  // namespace lpot
