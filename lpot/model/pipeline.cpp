#include "lpot/model/pipeline.h"

#include <algorithm>
#include <set>

#include "lpot/model/tensor_names.h"

namespace lpot {
namespace {

bool contains_tensor(const std::vector<std::string>& tensors, const std::string& tensor) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const std::string& each) { return same_tensor(each, tensor); });
}

struct Sources {
  std::vector<std::string> fields;  // outputs of iterators
  std::vector<std::string> others;  // named inputs, or placeholders if none are named
};

// The tensors on which the outputs depend first.
Sources find_sources(const SourceGraph& graph, const std::vector<std::string>& outputs,
                     const std::vector<std::string>& inputs) {
  Sources sources;
  const auto add = [](std::vector<std::string>& to, const std::string& tensor) {
    if (!contains_tensor(to, tensor)) to.push_back(tensor);
  };
  std::set<const SourceNode*> visited;
  std::vector<std::string> open(outputs.rbegin(), outputs.rend());
  while (!open.empty()) {
    const std::string tensor = short_tensor_name(open.back());
    open.pop_back();
    const SourceNode* node = graph.producer(tensor);
    if (!node) continue;
    if (contains_tensor(inputs, tensor) || (inputs.empty() && node->op.starts_with("Placeholder"))) {
      add(sources.others, tensor);
    } else if (reads_pipeline(*node)) {
      add(sources.fields, tensor);
    } else if (visited.insert(node).second) {
      open.insert(open.end(), node->inputs.rbegin(), node->inputs.rend());
    }
  }
  return sources;
}

// MakeIterator, IteratorToStringHandle, ...: outputs of the pipeline, not of the model.
bool handles_iterator(const SourceNode& node) { return node.op == "MakeIterator" || node.op.starts_with("Iterator"); }

// Orders tensors of one iterator by their index.
bool has_lower_index(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

LoadOptions cut_off_pipeline(const SourceGraph& graph, LoadOptions options) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), reads_pipeline)) return options;
  std::vector<std::string> outputs = options.outputs.empty() ? graph.final_tensors() : options.outputs;
  std::erase_if(outputs, [&](const std::string& end) {
    const SourceNode* node = graph.producer(end);
    return options.outputs.empty() && node && handles_iterator(*node);
  });
  Sources sources = find_sources(graph, outputs, options.inputs);
  if (sources.fields.empty()) return options;
  std::sort(sources.fields.begin(), sources.fields.end(), has_lower_index);
  options.inputs = std::move(sources.fields);
  options.inputs.insert(options.inputs.end(), sources.others.begin(), sources.others.end());
  options.outputs = std::move(outputs);
  return options;
}

}  // namespace lpot
