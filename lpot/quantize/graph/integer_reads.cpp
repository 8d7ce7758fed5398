#include "lpot/quantize/graph/integer_reads.h"

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/calibrate/observe.h"
#include "lpot/model/bodies.h"
#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/concat_regions.h"
#include "lpot/quantize/graph/level_groups.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/graph/quantizer_places.h"

namespace lpot {
namespace {

namespace op = ov::opset8;
using Output = ov::Output<ov::Node>;
using Input = ov::Input<ov::Node>;

class IntegerReads {
 public:
  IntegerReads(const Model& model, const Edits& edits, const Statistics& statistics)
      : model_(model), statistics_(statistics), moves_(move_options(edits)) {
    const OpIndex index(*model.graph, "quantize");
    for (const OpEdit& edit : edits.ops)
      if (!edit.activation.empty()) {
        const ov::Node* kernel = index.find(edit.op, edit.type).get();
        kernels_.insert(kernel);
        if (edit.written_divisors().empty()) levels_.emplace(std::pair(kernel, 0u), edit.levels);
      }
    for (const InputEdit& edit : edits.inputs) {
      const ov::Node* node = index.find(edit.op, edit.type).get();
      levels_.emplace(std::pair(node, edit.input), edit.levels);
      if (edit.type == "Add") sums_.insert(node);
    }
    for (const QuantizerPlace& place : quantizer_places(index, edits))
      for (const Input& input : place.inputs)
        moved_.emplace(std::pair(input.get_node(), input.get_index()), place.levels);
  }

  std::vector<InputEdit> find() {
    if (moves_.through_concat)
      for (const ConcatRegion& region : concat_regions(model_)) add_region(region);
    for (const auto& node : all_ops(*model_.graph))
      for (const Output& tensor : node->outputs())
        if (tensor.get_element_type() == ov::element::f32 && writes_integers(tensor)) add_readers_of(tensor);
    return std::move(found_);
  }

 private:
  using Reader = std::pair<const ov::Node*, std::size_t>;  // an op and the index of its input

  // Whether the op that produces the tensor can write integers if all readers take them.
  bool writes_integers(const Output& tensor) {
    const ov::Node* node = tensor.get_node();
    if (kernels_.contains(node) || sums_.contains(node)) return true;
    const auto [known, is_new] = writes_integers_.try_emplace(node, false);
    if (!is_new) return known->second;
    bool result = false;
    if (ov::is_type<op::Concat>(node)) {
      const ov::OutputVector inputs = node->input_values();
      result = moves_.through_concat &&
               std::all_of(inputs.begin(), inputs.end(), [&](const Output& input) { return writes_integers(input); });
    } else if (preserves_values(*node, moves_) || is_average(*node)) {
      result = writes_integers(node->input_value(0));
    } else if (is_elementwise(*node)) {
      const bool is_second = ov::is_type<op::Constant>(node->get_input_node_ptr(0));
      const Output input = node->input_value(is_second ? 1 : 0);
      result = input.get_target_inputs().size() == 1 && writes_integers(input);
    }
    return writes_integers_[node] = result;
  }

  // One quantizer for all tensors of connected concatenations.
  void add_region(const ConcatRegion& region) {
    const std::optional<Range> levels = region_levels(region);
    if (!levels || loses_too_much(region, *levels)) return;
    for (const Output& tensor : region.tensors) {
      if (!ov::is_type<op::Concat>(tensor.get_node()) && !writes_integers(tensor)) return;
      for (const Input& reader : tensor.get_target_inputs())
        if (!reads_region(reader, *levels)) return;
    }
    // A concatenation of integers with these levels needs no quantizer after it.
    for (const Output& tensor : region.tensors)
      for (const Input& reader : sorted(tensor.get_target_inputs())) {
        if (ov::is_type<op::Concat>(tensor.get_node()))
          levels_.emplace(Reader(reader.get_node(), reader.get_index()), *levels);
        else
          add(reader, *levels);
      }
  }

  // Whether the tensors of a region have more than four times the noise with common levels, on average: one bit less.
  bool loses_too_much(const ConcatRegion& region, const Range& common) const {
    constexpr double kOneBit = 4;
    double noise = 0, with_own_levels = 0;
    for (const Output& tensor : region.tensors) {
      if (ov::is_type<op::Concat>(tensor.get_node())) continue;
      const auto own = levels_of(tensor_name(tensor), statistics_);
      if (!own) return true;
      const TensorStatistics& observed = statistics_.at(tensor_name(tensor));
      noise += rounding_noise(common, observed);
      with_own_levels += rounding_noise(*own, observed);
    }
    return noise > kOneBit * with_own_levels;
  }

  // The levels of the whole range. Nothing if int8 kernels read the concatenations too: they have their own levels.
  std::optional<Range> region_levels(const ConcatRegion& region) const {
    for (const Output& tensor : region.tensors)
      for (const Input& reader : tensor.get_target_inputs())
        if (levels_.contains(Reader(reader.get_node(), reader.get_index()))) return std::nullopt;
    std::optional<Range> range;
    for (const std::string& tensor : region.last) {
      const auto found = levels_of(tensor, statistics_);
      if (!found) return std::nullopt;
      range = range ? Range{std::min(range->low, found->low), std::max(range->high, found->high)} : *found;
    }
    return range ? std::optional(activation_levels(*range, Symmetry::Asymmetric)) : std::nullopt;
  }

  bool reads_region(const Input& reader, const Range& levels) const {
    const ov::Node& node = *reader.get_node();
    if (ov::is_type<op::Concat>(&node)) return true;
    const auto is_kernel = [&](const ov::Node& next) { return kernels_.contains(&next); };
    return is_generated(node) ? only_read_by(node, is_kernel) : reads_integers(reader, levels);
  }

  void add_readers_of(const Output& tensor) {
    std::optional<Range> levels;  // of the int8 ops that read the tensor
    std::vector<Input> others;
    for (const Input& reader : sorted(tensor.get_target_inputs())) {
      const auto known = levels_.find(Reader(reader.get_node(), reader.get_index()));
      if (known == levels_.end()) {
        others.push_back(reader);
      } else if (levels && !(*levels == known->second)) {
        return;  // different quantizers
      } else {
        levels = known->second;
      }
    }
    const auto may_read = [&](const Input& reader) { return reads_integers(reader, levels); };
    if (others.empty() || !std::all_of(others.begin(), others.end(), may_read)) return;
    if (!levels) levels = levels_for_averages(tensor, others);
    if (!levels) return;
    for (const Input& reader : others)
      if (!has_same_quantizer(reader, *levels)) add(reader, *levels);
  }

  // The readers in a fixed order, so that equal models give equal edits.
  static std::vector<Input> sorted(const std::set<Input>& readers) {
    std::map<std::pair<std::string, std::size_t>, Input> by_name;
    for (const Input& reader : readers)
      by_name.emplace(std::pair(reader.get_node()->get_friendly_name(), reader.get_index()), reader);
    std::vector<Input> list;
    for (const auto& [name, reader] : by_name) list.push_back(reader);
    return list;
  }

  bool reads_integers(const Input& reader, const std::optional<Range>& levels) const {
    const ov::Node& node = *reader.get_node();
    if (reader.get_index() != 0 || kernels_.contains(&node)) return false;  // a kernel here divides its input
    if (is_average(node)) return !pads_average(node) || !levels || levels->low == 0;
    return preserves_values(node, moves_);
  }

  std::optional<Range> levels_for_averages(const Output& tensor, const std::vector<Input>& readers) const {
    const bool are_useful = std::all_of(readers.begin(), readers.end(), [&](const Input& reader) {
      return is_average(*reader.get_node()) && is_read_as_integers(*reader.get_node());
    });
    const auto levels = are_useful ? levels_of(tensor_name(tensor), statistics_) : std::nullopt;
    const bool must_be_zero = std::any_of(readers.begin(), readers.end(),
                                          [](const Input& reader) { return pads_average(*reader.get_node()); });
    return levels && must_be_zero && levels->low != 0 ? std::nullopt : levels;
  }

  // Whether int8 ops read the output of this op, perhaps through ops that preserve values.
  bool is_read_as_integers(const ov::Node& node) const {
    const std::set<Input> readers = node.output(0).get_target_inputs();
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](const Input& reader) {
      return levels_.contains(Reader(reader.get_node(), reader.get_index())) ||
             (preserves_values(*reader.get_node(), moves_) && is_read_as_integers(*reader.get_node()));
    });
  }

  // True when a quantizer that moved up to this input equals the one with these levels.
  bool has_same_quantizer(const Input& input, const Range& levels) const {
    const auto moved = moved_.find(Reader(input.get_node(), input.get_index()));
    return moved != moved_.end() && moved->second == levels;
  }

  void add(const Input& reader, const Range& levels) {
    const ov::Node& node = *reader.get_node();
    levels_.emplace(Reader(&node, reader.get_index()), levels);
    found_.push_back({op_name(node), node.get_type_name(), reader.get_index(), levels});
  }

  const Model& model_;
  const Statistics& statistics_;
  MoveOptions moves_;
  std::set<const ov::Node*> kernels_, sums_;  // that run in int8
  std::map<Reader, Range> levels_;            // the readers with a quantizer that divides nothing
  std::map<Reader, Range> moved_;             // quantizers after they moved up
  std::map<const ov::Node*, bool> writes_integers_;
  std::vector<InputEdit> found_;
};

// Whether only ops that may run in int8 read the output of this op, perhaps through ops that preserve values.
bool only_kernels_read(const ov::Node& node) {
  const std::set<Input> readers = node.output(0).get_target_inputs();
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [](const Input& reader) {
    const ov::Node& next = *reader.get_node();
    return find_capability(next.get_type_name()) || (preserves_values(next, {}) && only_kernels_read(next));
  });
}

}  // namespace

std::set<std::string> tensors_of_integer_reads(const Model& model) {
  std::set<std::string> tensors;
  std::set<Output> concatenated;
  for (const ConcatRegion& region : concat_regions(model)) {
    tensors.insert(region.last.begin(), region.last.end());
    for (const Output& tensor : region.tensors)
      if (!ov::is_type<op::Concat>(tensor.get_node())) tensors.insert(tensor_name(tensor));
    concatenated.insert(region.tensors.begin(), region.tensors.end());
  }
  for (const auto& node : all_ops(*model.graph))
    if (is_average(*node) && node->get_input_element_type(0) == ov::element::f32 &&
        (only_kernels_read(*node) || concatenated.contains(node->output(0))))
      tensors.insert(tensor_name(node->input_value(0)));
  return tensors;
}

std::optional<Range> levels_of(const std::string& tensor, const Statistics& statistics) {
  const auto observed = statistics.find(tensor);
  if (observed == statistics.end()) return std::nullopt;
  const Range range = find_range(observed->second, Algorithm::MinMax, {.symmetry = Symmetry::Asymmetric});
  return activation_levels(range, Symmetry::Asymmetric);
}

std::vector<InputEdit> integer_reads(const Model& model, const Edits& edits, const Statistics& statistics) {
  return IntegerReads(model, edits, statistics).find();
}

}  // namespace lpot
