#include "lpot/quantize/graph/quantizer_places.h"

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <set>

#include "lpot/quantize/graph/activation_range.h"

namespace lpot {
namespace {

using Output = ov::Output<ov::Node>;
using Input = ov::Input<ov::Node>;

const std::vector<float>& divisors_of(const QuantizerPlace& place) {
  static const std::vector<float> kNone;
  return place.divided ? place.divided->written_divisors() : kNone;
}

bool same_quantizer(const QuantizerPlace& a, const QuantizerPlace& b) {
  return a.levels == b.levels && divisors_of(a) == divisors_of(b);
}

bool is_convolution_input(const Input& input) {
  const std::string_view type = input.get_node()->get_type_name();
  return type == "Convolution" || type == "GroupConvolution";
}

// False if the quantizer would move before padding and zero is not the integer 0. The runtime pads integers with the
// integer 0. It handles a zero point only if the padding is part of a convolution; otherwise it computes the kernels
// after it in fp32.
bool zeros_stay_zeros(const QuantizerPlace& place) {
  const std::string_view type = place.inputs.front().get_source_output().get_node()->get_type_name();
  return type != "Pad" || Quantization(place.levels).zero_point == 0 ||
         std::all_of(place.inputs.begin(), place.inputs.end(), is_convolution_input);
}

class Places {
 public:
  void add(const QuantizerPlace& added) {
    const Output tensor = added.inputs.front().get_source_output();
    const auto [found, is_new] = by_tensor_.try_emplace(tensor);
    if (is_new) order_.push_back(tensor);
    std::vector<QuantizerPlace>& of_tensor = found->second;
    const auto same = std::find_if(of_tensor.begin(), of_tensor.end(),
                                   [&](const QuantizerPlace& known) { return same_quantizer(known, added); });
    if (same == of_tensor.end()) {
      of_tensor.push_back(added);
      return;
    }
    for (const Input& input : added.inputs)
      if (std::find(same->inputs.begin(), same->inputs.end(), input) == same->inputs.end())
        same->inputs.push_back(input);
  }

  // Moves every quantizer as far up as possible. Quantizers that meet on a tensor are joined and move on together.
  void move_up(const MoveOptions& moves) {
    std::vector<Output> to_check = order_;
    while (!to_check.empty()) {
      const Output tensor = to_check.back();
      to_check.pop_back();
      const auto found = by_tensor_.find(tensor);
      if (found->second.size() != 1) continue;
      const QuantizerPlace place = found->second.front();
      if (place.divided) continue;
      if (!zeros_stay_zeros(place)) continue;
      const std::vector<Input> above =
          moves.through_concat && has_all_parts(place) ? part_source(place) : one_step_up(place.inputs, moves);
      const auto is_free = [&](const Input& input) { return !has_other_quantizer(input, place); };
      if (above.empty() || !std::all_of(above.begin(), above.end(), is_free)) continue;
      for (const Output& part : parts_of(tensor)) {
        by_tensor_[part].clear();
        moved_through_.emplace(part, place.levels);
      }
      for (const Input& input : above) {
        const Output source = input.get_source_output();
        // The quantizer of the other readers has moved on already, so this one would change nothing.
        if (const auto other = moved_through_.find(source);
            other != moved_through_.end() && other->second == place.levels)
          continue;
        add({place.levels, nullptr, {input}});
        to_check.push_back(source);
      }
    }
  }

  std::vector<QuantizerPlace> all() const {
    std::vector<QuantizerPlace> list;
    for (const Output& tensor : order_)
      for (const QuantizerPlace& place : by_tensor_.at(tensor)) list.push_back(place);
    return list;
  }

 private:
  // The tensor, or all outputs of a split that are read.
  static std::vector<Output> parts_of(const Output& tensor) {
    if (!splits_values(*tensor.get_node())) return {tensor};
    std::vector<Output> parts;
    for (const Output& part : tensor.get_node()->outputs())
      if (!part.get_target_inputs().empty()) parts.push_back(part);
    return parts;
  }

  static std::vector<Input> part_source(const QuantizerPlace& place) {
    return {place.inputs.front().get_source_output().get_node()->input(0)};
  }

  // True if the tensor is an output of a split, and all readers of all outputs have this quantizer.
  bool has_all_parts(const QuantizerPlace& place) const {
    const Output tensor = place.inputs.front().get_source_output();
    if (!splits_values(*tensor.get_node())) return false;
    const std::vector<Output> parts = parts_of(tensor);
    return std::all_of(parts.begin(), parts.end(), [&](const Output& part) {
      const auto known = by_tensor_.find(part);
      return known != by_tensor_.end() && known->second.size() == 1 && same_quantizer(known->second[0], place) &&
             known->second[0].inputs.size() == part.get_target_inputs().size();
    });
  }

  bool has_other_quantizer(const Input& input, const QuantizerPlace& than) const {
    const auto known = by_tensor_.find(input.get_source_output());
    return known != by_tensor_.end() &&
           std::any_of(known->second.begin(), known->second.end(), [&](const QuantizerPlace& place) {
             return !same_quantizer(place, than) &&
                    std::find(place.inputs.begin(), place.inputs.end(), input) != place.inputs.end();
           });
  }

  std::map<Output, std::vector<QuantizerPlace>> by_tensor_;
  std::map<Output, Range> moved_through_;  // the levels of quantizers that were on a tensor and moved up
  std::vector<Output> order_;  // the tensors in the order of the edits, so that equal edits give equal files
};

}  // namespace

MoveOptions move_options(const Edits& edits) {
  // With int8 attention, the plug-in fuses attention and the transpose of its result into one kernel. A quantizer
  // before the transpose, or right after it (the plug-in moves it up), prevents this fusion: MiniLM is 2 to 4% slower
  // with VNNI. With AVX2 attention runs in fp32, and transposing integers is 1% faster.
  return {edits.through_max_pooling, edits.through_concat, edits.products.empty()};
}

std::vector<QuantizerPlace> quantizer_places(const OpIndex& index, const Edits& edits) {
  Places places;
  for (const OpEdit& edit : edits.ops) {
    if (edit.activation.empty()) continue;
    const OpEdit* divided = edit.written_divisors().empty() ? nullptr : &edit;
    places.add({edit.levels, divided, {index.find(edit.op, edit.type)->input(0)}});
  }
  for (const InputEdit& edit : edits.inputs)
    places.add({edit.levels, nullptr, {index.find(edit.op, edit.type)->input(edit.input)}});
  places.move_up(move_options(edits));
  return places.all();
}

std::vector<InputEdit> moved_quantizers(const Model& model, const Edits& edits) {
  static const std::set<std::string_view> kLayoutOps{"Reshape", "Transpose", "Squeeze", "Unsqueeze"};
  const OpIndex index(*model.graph, "quantize");
  std::set<std::pair<const ov::Node*, std::size_t>> known;
  for (const OpEdit& edit : edits.ops) known.emplace(index.find(edit.op, edit.type).get(), 0);
  for (const InputEdit& edit : edits.inputs) known.emplace(index.find(edit.op, edit.type).get(), edit.input);
  std::vector<InputEdit> moved;
  for (const QuantizerPlace& place : quantizer_places(index, edits))
    for (const Input& input : place.inputs) {
      const ov::Node& node = *input.get_node();
      if (!kLayoutOps.contains(node.get_type_name()) && !known.contains({&node, input.get_index()}))
        moved.push_back({op_name(node), node.get_type_name(), input.get_index(), place.levels});
    }
  return moved;
}

}  // namespace lpot
