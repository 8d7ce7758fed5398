#include "lpot/quantize/sequence_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <openvino/openvino.hpp>
#include <optional>

#include "lpot/core/error.h"
#include "lpot/model/bodies.h"
#include "lpot/quantize/graph/edits_within.h"
#include "lpot/quantize/graph/op_index.h"
#include "lpot/quantize/graph/sequences.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/runtime/executable.h"

namespace lpot {
namespace {

// The largest error, relative to the root mean square of the output. A wrong scale of one gate causes an error of 5%.
constexpr double kAllowedError = 0.01;

// The source model with the outputs of these sequences as its only outputs, in their order. The writers move outputs to
// the nodes that replace a sequence.
Model with_sequence_outputs(const Model& model, const std::vector<SequenceEdit>& sequences) {
  Model watched = model.clone();
  const OpIndex ops(*watched.graph, "quantize");
  BodyOutputs body_outputs(*watched.graph);
  ov::OutputVector outputs;
  // Calibration observed the same outputs, so they can leave their bodies.
  for (const SequenceEdit& edit : sequences)
    outputs.push_back(body_outputs.expose(ops.find(edit.op, edit.type)->output(0)).value().tensor);
  watched.graph = with_outputs(*watched.graph, outputs);
  return watched;
}

// The int8 kernel also rounds and clips its output. The level of a value makes both outputs comparable.
double level_of(float value, const Range& levels) {
  const float step = (levels.high - levels.low) / 255;
  return static_cast<double>(std::nearbyint(std::clamp(value, levels.low, levels.high) / step));
}

struct Difference {
  double of_outputs = 0;   // relative to their root mean square
  double of_rounding = 0;  // the noise of rounding each output once, 1 / sqrt(12) of a level

  // A correct kernel rounds some values differently, and later steps repeat the difference. If the outputs have few
  // levels, this is more than kAllowedError.
  bool is_allowed() const { return of_outputs <= std::max(kAllowedError, of_rounding); }  // false for NaN
};

Difference difference_of(const Tensor& found, const Tensor& wanted, const Range& levels) {
  double error = 0, power = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double level = level_of(wanted.data<float>()[i], levels);
    const double difference = level_of(found.data<float>()[i], levels) - level;
    error += difference * difference;
    power += level * level;
  }
  if (power <= 0) return {std::sqrt(error), 0};
  return {std::sqrt(error / power), std::sqrt(static_cast<double>(wanted.size()) / 12 / power)};
}

Executable compile_in_f32(Model model, const std::vector<Tensor>& inputs) {
  std::vector<Shape> shapes;
  for (const Tensor& input : inputs) shapes.push_back(input.shape());
  model.precision = InferencePrecision::F32;
  return Executable(model, {.input_shapes = shapes});
}

// The plug-in has one kernel for each direction of a sequence.
bool run_in_int8(const Model& source, const std::vector<SequenceEdit>& sequences, const Executable& compiled) {
  const OpIndex ops(*source.graph, "quantize");
  std::size_t expected = 0, found = 0;
  for (const SequenceEdit& edit : sequences) {
    const auto& node = ops.find(edit.op, edit.type);
    if (edit.form == SequenceForm::Kernel) expected += node->get_input_shape(sequence_inputs(*node).weights)[0];
  }
  for (const ExecutedOp& kernel : compiled.executed_ops())
    found += kernel.is_int8() && (kernel.type == "RNNSeq" || kernel.type.ends_with("Sequence"));
  return found >= expected;
}

// The first sequence that differs. Sequences before it are int8 in both models, so that it reads the same input.
std::optional<SequenceMismatch> first_mismatch(const Model& model, const Edits& edits,
                                               const std::vector<Tensor>& inputs) {
  const Model watched = with_sequence_outputs(model, edits.sequences);
  const Edits within = edits_within(*watched.graph, edits);  // without ops after the last sequence
  std::vector<Tensor> found;
  try {
    Executable int8 = compile_in_f32(apply(watched, within), inputs);
    if (!run_in_int8(watched, edits.sequences, int8))
      return SequenceMismatch{edits.sequences.front().op, "the runtime does not use its int8 kernel"};
    found = int8.infer(inputs);
  } catch (const ModelError& failed) {
    return SequenceMismatch{edits.sequences.front().op,
                            fmt::format("its int8 form does not compile: {}", failed.what())};
  }
  for (std::size_t i = 0; i < edits.sequences.size(); ++i) {
    const SequenceEdit& edit = edits.sequences[i];
    const Model reference = apply_with_f32_sequence(watched, within, edit.op);
    const Tensor wanted = compile_in_f32(reference, inputs).infer(inputs).at(i);
    if (wanted.size() == 0)
      return SequenceMismatch{edit.op, "the sample takes another branch, so its int8 kernel cannot be checked"};
    const Difference difference = difference_of(found[i], wanted, edit.state_levels);
    if (!difference.is_allowed())
      return SequenceMismatch{edit.op,
                              fmt::format("its int8 kernel differs from the same computation in f32 by {:.1f}%",
                                          100 * difference.of_outputs)};
  }
  return std::nullopt;
}

}  // namespace

std::vector<SequenceMismatch> mismatched_sequences(const Model& model, Edits edits, const std::vector<Tensor>& inputs) {
  std::vector<SequenceMismatch> all;
  while (!edits.sequences.empty()) {
    const auto found = first_mismatch(model, edits, inputs);
    if (!found) break;
    std::erase_if(edits.sequences, [&](const SequenceEdit& edit) { return edit.op == found->op; });
    all.push_back(*found);
  }
  return all;
}

}  // namespace lpot
