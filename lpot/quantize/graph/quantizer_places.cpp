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

// The kernel that makes the tensor, together with the ops that the plug-in makes part of it.
const ov::Node* maker_of(const Output& tensor) {
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
  SharedReads(const OpIndex& index, const Edits& edits) : moves_(moves_of(edits)) {
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
      const OpEdit* quantizer = kernels_.contains(maker_of(tensor)) ? quantizer_to_share(tensor) : nullptr;
      if (!quantizer) continue;
      for (const Input& reader : tensor.get_target_inputs()) {
        const ov::Node& node = *reader.get_node();
        if (!kernels_.contains(&node) && !has_the_same(reader, *quantizer))
          reads.push_back({op_name(node), node.get_type_name()});
      }
    }
    return reads;
  }

 private:
  // That of the kernels that read the tensor; none when they have several, or when something else needs it in fp32.
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

  // A quantizer from behind moves up to this input and is no other than the kernels'.
  bool has_the_same(const Input& input, const OpEdit& edit) const {
    const auto moved = moved_to_.find(input);
    return moved != moved_to_.end() && std::any_of(moved->second.begin(), moved->second.end(),
                                                   [&](const OpEdit* other) { return same_quantizer(*other, edit); });
  }

  std::map<Input, std::vector<const OpEdit*>> moved_to_;  // quantizers, by the inputs that they are put in front of
  MoveOptions moves_;
  std::map<const ov::Node*, const OpEdit*> kernels_;
  std::vector<Output> tensors_;  // that kernels read as integers, each once
};

}  // namespace

MoveOptions moves_of(const Edits& edits) {
  // A CPU whose attention is in int8 computes it as one kernel, with the transposition of its result. A quantizer in
  // front of that or right behind, which the plug-in moves in front, leaves it as a pass of its own: MiniLM is 2 to 4%
  // slower with VNNI. With AVX2, where attention is in fp32, integers are faster to transpose (1%).
  MoveOptions moves{edits.through_max_pooling, edits.through_concat, edits.products.empty()};
  for (const SharedRead& read : edits.reads) moves.not_through.insert(read.op);
  return moves;
}

std::vector<QuantizerPlaces> quantizer_places(const OpIndex& index, const Edits& edits) {
  const MoveOptions moves = moves_of(edits);
  std::vector<QuantizerPlaces> all;
  std::map<Output, std::vector<std::size_t>> of_tensor;  // which of them
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
