// What the first output of a model means, so that a metric can be chosen that compares int8 with fp32 without labels.
//
//   const SampleOutputs samples = {};  // the outputs of the fp32 model for some samples
//   const OutputRole role = find_output_role(output_evidence(model), samples);
//   std::cout << describe(role.kind) << ": " << role.evidence << "\n";  // "an embedding: divided by its length"
//
// Judged by the shapes and names of the outputs, by the ops before them, and by the values of the fp32 model for some
// samples. If nothing shows what the values are, they are plain values, which only MSE compares.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/model/model.h"
#include "lpot/model/output_end.h"
#include "lpot/tune/auto_config/sample_outputs.h"

namespace lpot {

enum class OutputRoleKind {
  Classes,     // one score per class
  ClassIndex,  // the number of the class
  Decision,    // one score per sample, for yes or no
  Embedding,   // one vector per sample, or per token
  Map,         // scores of classes for each pixel
  Mask,        // one score per pixel
  Labels,      // several scores per pixel or step, each for yes or no
  Steps,       // scores of classes for each step of a sequence
  Boxes,       // of a detector
  Values,      // anything else
};

std::string_view describe(OutputRoleKind);  // "one score per class"

struct OutputRole {
  OutputRoleKind kind = OutputRoleKind::Values;
  std::string evidence = {};          // what shows it, in words
  std::string class_axis = "none";    // of Map, Mask, Steps: as the parameter of PixelAgreement
  double threshold = 0.5;             // of Decision, Mask and Labels
  double share_above = 0;             // of Mask and Labels: the share of values above the threshold
  std::string box_parameters = "{}";  // of the postprocess Boxes
  bool has_two_channels = false;      // an axis of two values, which mIOU would take for two classes
};

// What the model itself shows about its outputs.
struct OutputEvidence {
  OutputEnd end = {};       // of the first output
  std::string name = {};    // of the first output
  bool is_integer = false;  // the first output
  bool suppresses_boxes = false;
  std::vector<std::vector<std::int64_t>> inputs = {};  // shapes
};
OutputEvidence output_evidence(const Model&);

OutputRole find_output_role(const OutputEvidence&, const SampleOutputs&);

}  // namespace lpot
