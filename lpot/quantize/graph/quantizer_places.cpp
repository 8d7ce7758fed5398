#include "lpot/quantize/graph/quantizer_places.h"

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <set>

namespace lpot {
namespace {

namespace op = ov::opset8;
using Output = ov::Output<ov::Node>;
using Input = ov::Input<ov::Node>;

bool same_quantizer(const OpEdit& a, const OpEdit& b) {
  return a.levels == b.levels && a.written_divisors() == b.written_divisors();
}

// The kernel that produces the tensor, skipping the ops that the plug-in fuses into it.
const ov::Node* producer_of(const Output& tensor) {
  const ov::Node* node = tensor.get_node();
  while (ov::is_type<op::Relu>(node) || ov::is_type<op::Clamp>(node) || ov::is_type<op::Add>(node)) {
    const bool has_bias = node->get_input_size() == 2;
    if (has_bias && !ov::is_type<op::Constant>(node->get_input_node_ptr(1))) break;
    node = node->get_input_node_ptr(0);
  }
  return node;
}

class SharedReads {
 public:
  SharedReads(const OpIndex& index, const Edits& edits) : moves_(move_options(edits)) {
    for (const QuantizerPlaces& places : quantizer_places(index, edits))
      for (const Input& input : places.inputs) moved_to_[input].push_back(places.edit);
    std::set<Output> known;
    for (const OpEdit& edit : edits.ops) {
      if (edit.activation.empty()) continue;
      const auto& kernel = index.find(edit.op, edit.type);
      kernels_.emplace(kernel.get(), &edit);
      const Output tensor = kernel->input_value(0);
      if (known.insert(tensor).second) tensors_.push_back(tensor);
    }
  }

  std::vector<SharedRead> find() const {
    std::vector<SharedRead> reads;
    for (const Output& tensor : tensors_) {
      const OpEdit* quantizer = kernels_.contains(producer_of(tensor)) ? quantizer_to_share(tensor) : nullptr;
      if (!quantizer) continue;
      for (const Input& reader : tensor.get_target_inputs()) {
        const ov::Node& node = *reader.get_node();
        if (!kernels_.contains(&node) && !has_same_quantizer(reader, *quantizer))
          reads.push_back({op_name(node), node.get_type_name()});
      }
    }
    return reads;
  }

 private:
  // The quantizer of the kernels that read the tensor. None when they use different quantizers or another op needs the
  // tensor in fp32.
  const OpEdit* quantizer_to_share(const Output& tensor) const {
    const OpEdit* quantizer = nullptr;
    for (const Input& reader : tensor.get_target_inputs()) {
      const auto kernel = kernels_.find(reader.get_node());
      if (kernel == kernels_.end()) {
        if (!preserves_values(*reader.get_node(), moves_)) return nullptr;
        continue;
      }
      const OpEdit& edit = *kernel->second;
      if (!edit.written_divisors().empty() || (quantizer && !same_quantizer(*quantizer, edit))) return nullptr;
      quantizer = &edit;
    }
    return quantizer;
  }

  // True when a quantizer that moved up to this input equals the one of `edit`.
  bool has_same_quantizer(const Input& input, const OpEdit& edit) const {
    const auto moved = moved_to_.find(input);
    return moved != moved_to_.end() && std::any_of(moved->second.begin(), moved->second.end(),
                                                   [&](const OpEdit* other) { return same_quantizer(*other, edit); });
  }

  std::map<Input, std::vector<const OpEdit*>> moved_to_;  // quantizers by the inputs before which they are inserted
  MoveOptions moves_;
  std::map<const ov::Node*, const OpEdit*> kernels_;
  std::vector<Output> tensors_;  // tensors that kernels read as integers, without duplicates
};

}  // namespace

MoveOptions move_options(const Edits& edits) {
  // With int8 attention, the plug-in fuses attention and the transpose of its result into one kernel. A quantizer
  // before the transpose, or right after it (the plug-in moves it up), prevents this fusion: MiniLM is 2 to 4% slower
  // with VNNI. With AVX2 attention runs in fp32, and transposing integers is 1% faster.
  MoveOptions moves{edits.through_max_pooling, edits.through_concat, edits.products.empty()};
  for (const SharedRead& read : edits.reads) moves.not_through.insert(read.op);
  return moves;
}

std::vector<QuantizerPlaces> quantizer_places(const OpIndex& index, const Edits& edits) {
  const MoveOptions moves = move_options(edits);
  std::vector<QuantizerPlaces> all;
  std::map<Output, std::vector<std::size_t>> of_tensor;  // indices into `all`
  for (const OpEdit& edit : edits.ops) {
    if (edit.activation.empty()) continue;
    const Input reader = index.find(edit.op, edit.type)->input(0);
    std::vector<std::size_t>& known = of_tensor[reader.get_source_output()];
    const auto same =
        std::find_if(known.begin(), known.end(), [&](std::size_t i) { return same_quantizer(*all[i].edit, edit); });
    if (same != known.end()) {
      all[*same].inputs.push_back(reader);
      continue;
    }
    known.push_back(all.size());
    all.push_back({&edit, {reader}});
  }
  for (QuantizerPlaces& places : all)
    if (places.edit->written_divisors().empty()) places.inputs = move_up(places.inputs, moves);
  return all;
}

std::vector<SharedRead> shared_reads(const Model& model, const Edits& edits) {
  return SharedReads(OpIndex(*model.graph, "quantize"), edits).find();
}

}  // namespace lpot
