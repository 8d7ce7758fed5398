#include "lpot/tune/auto_config/output_role.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lpot/core/text.h"
#include "lpot/metrics/maps.h"
#include "lpot/metrics/output_kind.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

using Kind = OutputRoleKind;
using Dimensions = std::vector<std::int64_t>;

// The part of the variance of all values that the means of the columns explain. Columns of coordinates have different
// means, columns of class scores differ from sample to sample. Measured on 32 samples of models of benchmarks/zoo: 0.94
// to 0.98 for landmarks of hands, faces and eyes, 0.95 for three ratings of speech, 0.15 and 0.32 for logits of
// MobileNetV2 and of MiniLM on MRPC.
constexpr double kCoordinates = 0.9;
constexpr std::size_t kColumnsToJudge = 3;  // two columns of scores may have different means by chance
constexpr std::size_t kManyOutputs = 3;     // classifiers have one, or a second one for training
// The smallest mean of the highest softmax probabilities of scores. The softmax of other values is flatter, or always
// has the same highest class.
constexpr double kCertain = 0.8;
constexpr std::int64_t kLeastSide = 8;  // of a map; smaller tables are key points
// The smallest share of values above the threshold. With fewer, int8 and fp32 agree almost everywhere in any case.
constexpr double kLeastShare = 0.001;

bool contains_any(const std::string& name, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return name.find(word) != std::string::npos; });
}

bool names_embedding(const std::string& name) {
  return contains_any(name, {"embed", "feature", "vector", "pooler", "hidden", "encoding"});
}
bool names_scores(const std::string& name) {
  return contains_any(name, {"logit", "prob", "score", "softmax", "class"});
}

OutputRole role(Kind kind, std::string evidence) {
  OutputRole found;
  found.kind = kind;
  found.evidence = std::move(evidence);
  return found;
}

// Unit vectors with negative values. Certain probabilities are unit vectors too, but never negative.
bool are_unit_vectors(const std::vector<OutputRow>& rows) {
  constexpr double kTolerance = 1e-2;  // of the squared length, for models in 16 bits
  bool has_negative = false;
  for (const OutputRow& row : rows) {
    double squares = 0;
    for (const double value : row) {
      squares += value * value;
      has_negative = has_negative || value < 0;
    }
    if (std::fabs(squares - 1) > kTolerance) return false;
  }
  return has_negative;
}

// The part of the variance that the means of the columns explain, 0..1.
double explained_by_columns(const std::vector<OutputRow>& rows) {
  if (rows.size() < 2 || rows[0].empty()) return 0;
  const auto count = static_cast<double>(rows.size()), columns = static_cast<double>(rows[0].size());
  std::vector<double> means(rows[0].size(), 0.0);
  for (const OutputRow& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) means[i] += row[i] / count;
  double mean = 0, between = 0, within = 0;
  for (const double value : means) mean += value / columns;
  for (const double value : means) between += (value - mean) * (value - mean) / columns;
  for (const OutputRow& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) within += (row[i] - means[i]) * (row[i] - means[i]) / count / columns;
  return between + within > 0 ? between / (between + within) : 0;
}

bool are_probabilities(const std::vector<OutputRow>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const OutputRow& row) {
    double sum = 0;
    for (const double value : row) {
      if (!(value >= 0)) return false;
      sum += value;
    }
    return std::fabs(sum - 1) < 1e-2;
  });
}

struct MapValues {
  bool is_share = true;    // all values are 0..1
  double share_above = 0;  // of values above 0.5
};

MapValues summarize_maps(const std::vector<Tensor>& maps) {
  MapValues found;
  double count = 0, above = 0;
  for (const Tensor& map : maps)
    for (std::size_t i = 0; i < map.size(); ++i) {
      const double value = map.value_at(i);
      found.is_share = found.is_share && value >= 0 && value <= 1;
      above += value > 0.5;
      count += 1;
    }
  found.share_above = count > 0 ? above / count : 0;
  return found;
}

OutputRole role_of_yes_or_no(Kind kind, std::string evidence, const MapValues& values) {
  if (values.share_above < kLeastShare)
    return role(Kind::Values, fmt::format("{}, but hardly any value is above 0.5", evidence));
  OutputRole found = role(kind, std::move(evidence));
  found.share_above = values.share_above;
  return found;
}

OutputRole role_of_vector(const OutputEvidence& evidence, const SampleOutputs& outputs) {
  const OutputEnd& end = evidence.end;
  if (end.kind == OutputEndKind::Softmax) return role(Kind::Classes, "softmax");
  if (end.kind == OutputEndKind::UnitNorm) return role(Kind::Embedding, "divided by its length");
  if (end.kind == OutputEndKind::Sigmoid) {
    const OutputRole found = role_of_yes_or_no(Kind::Labels, "sigmoid", summarize_maps(outputs.maps));
    if (found.kind == Kind::Labels) return found;
  }
  if (are_unit_vectors(outputs.rows)) return role(Kind::Embedding, "its length is 1 for all samples");
  if (outputs.has_one_shape && are_probabilities(outputs.rows))
    return role(Kind::Classes, "probabilities whose sum is 1");
  if (names_scores(evidence.name)) return role(Kind::Classes, "its name");
  if (names_embedding(evidence.name)) return role(Kind::Embedding, "its name");
  if (end.kind == OutputEndKind::Mean) return role(Kind::Embedding, "a mean over positions");
  if (end.kind == OutputEndKind::Tanh || end.kind == OutputEndKind::Normalization)
    return role(Kind::Embedding, fmt::format("computed by {}, not by a product with class weights", end.op));
  if (!outputs.has_one_shape) return role(Kind::Values, "its length is not the same for all samples");
  const double explained = explained_by_columns(outputs.rows);
  if (outputs.classes() >= kColumnsToJudge && explained > kCoordinates)
    return role(Kind::Values, fmt::format("each column has nearly the same value for all samples ({:.0f}% of the "
                                          "variance), as coordinates have",
                                          100 * explained));
  if (outputs.shapes.size() >= kManyOutputs)
    return role(Kind::Values, fmt::format("the first of {} outputs, and nothing shows scores", outputs.shapes.size()));
  return role(Kind::Classes, "one row of scores per sample");
}

OutputRole role_of_number(const OutputEvidence& evidence, const SampleOutputs& outputs) {
  if (evidence.is_integer) return role(Kind::ClassIndex, "an integer per sample");
  if (evidence.end.kind == OutputEndKind::Sigmoid) return role(Kind::Decision, "sigmoid");
  const bool is_share =
      outputs.has_one_shape && std::all_of(outputs.rows.begin(), outputs.rows.end(), [](const OutputRow& row) {
        return std::all_of(row.begin(), row.end(), [](double value) { return value >= 0 && value <= 1; });
      });
  if (is_share && names_scores(evidence.name)) return role(Kind::Decision, "its name, and values from 0 to 1");
  return role(Kind::Values, "one value per sample");
}

// Whether the values are scores of classes: the softmax along the axis is certain, of different classes.
bool are_certain_scores(const std::vector<Tensor>& maps, ClassAxis axis) {
  std::set<double> found;
  double certainty = 0, count = 0;
  for (const Tensor& map : maps) {
    const MapLayout layout = map_layout(map.shape(), axis, "data");
    const Tensor classes = highest_classes(map, layout);
    for (std::size_t p = 0; p < classes.size(); ++p) {
      if (classes.value_at(p) < 0) return false;
      found.insert(classes.value_at(p));
      const std::size_t first = p / layout.inner * layout.classes * layout.inner + p % layout.inner;
      const double highest = map.value_at(first + static_cast<std::size_t>(classes.value_at(p)) * layout.inner);
      double sum = 0;
      for (std::size_t k = 0; k < layout.classes; ++k)
        sum += std::exp(map.value_at(first + k * layout.inner) - highest);
      certainty += 1 / sum;
      count += 1;
    }
  }
  return found.size() > 1 && certainty > kCertain * count;
}

// Scores of several classes for each point. `axis` counts from the sample axis, which is 0.
OutputRole role_of_scores(Kind kind, std::string evidence, std::size_t axis, std::size_t rank) {
  if (axis != 1 && axis + 1 != rank) return role(Kind::Values, "classes on an axis between others");
  OutputRole found = role(kind, std::move(evidence));
  found.class_axis = axis == 1 ? "first" : "last";
  return found;
}

bool has_shape_of_an_input(const OutputEvidence& evidence, const Dimensions& output) {
  return std::any_of(evidence.inputs.begin(), evidence.inputs.end(), [&](const Dimensions& input) {
    if (input.size() != output.size()) return false;
    for (std::size_t i = 1; i < input.size(); ++i)
      if (input[i] >= 0 && input[i] != output[i]) return false;
    return true;
  });
}

// The axis of the channels of a map whose ops do not show it; 0: none is certain.
std::size_t channel_axis(const Dimensions& shape) {
  Shape sample;
  for (std::size_t i = 1; i < shape.size(); ++i) sample.push_back(static_cast<std::size_t>(shape[i]));
  try {
    return map_layout(sample, ClassAxis::Auto, "data").points.front() == sample.front() ? shape.size() - 1 : 1;
  } catch (const Error&) {
    return 0;
  }
}

// Of an output with three or more axes, of which several are not 1.
OutputRole role_of_points(const OutputEvidence& evidence, const SampleOutputs& outputs) {
  const Dimensions& shape = outputs.shapes.at(0).dimensions;
  const OutputEnd& end = evidence.end;
  const bool is_sequence = shape.size() == 3;
  const Kind many = is_sequence ? Kind::Steps : Kind::Map;
  if (end.kind == OutputEndKind::Softmax && end.axis)
    return role_of_scores(many, fmt::format("softmax over axis {}", *end.axis), *end.axis, shape.size());
  if (has_shape_of_an_input(evidence, shape)) return role(Kind::Values, "the shape is that of an input");
  const MapValues values = summarize_maps(outputs.maps);
  const bool is_large = std::count_if(shape.begin() + 1, shape.end(), [](auto size) { return size >= kLeastSide; }) > 1;
  const bool is_single = !is_sequence && is_large && (shape[1] == 1 || shape.back() == 1);
  if (is_single && (end.kind == OutputEndKind::Sigmoid || values.is_share)) {
    OutputRole found = role_of_yes_or_no(
        Kind::Mask, end.kind == OutputEndKind::Sigmoid ? "sigmoid" : "one value from 0 to 1 for each pixel", values);
    found.class_axis = shape[1] == 1 ? "first" : "last";
    return found;
  }
  if (end.kind == OutputEndKind::Sigmoid) return role_of_yes_or_no(Kind::Labels, "sigmoid", values);
  if (is_sequence && names_scores(evidence.name)) return role_of_scores(many, "its name", 2, 3);
  if (is_sequence && (names_embedding(evidence.name) || end.kind == OutputEndKind::Normalization))
    return role(Kind::Embedding, names_embedding(evidence.name) ? "its name" : "layer normalization of each token");
  const std::size_t axis = is_sequence || is_single || !is_large ? 0 : channel_axis(shape);
  const std::size_t likely = is_sequence ? 2 : axis;
  const bool ends_like_scores = end.kind == OutputEndKind::Resize || end.kind == OutputEndKind::Linear;
  if (likely > 0 && ends_like_scores && outputs.shapes.size() == 1 &&
      are_certain_scores(outputs.maps, likely == 1 ? ClassAxis::First : ClassAxis::Last))
    return role_of_scores(
        many, fmt::format("scores of {} classes, computed by {}, whose softmax is certain", shape[likely], end.op),
        likely, shape.size());
  return role(Kind::Values, "nothing shows what the values are");
}

bool reads_images(const OutputEvidence& evidence) {
  return std::any_of(evidence.inputs.begin(), evidence.inputs.end(),
                     [](const Dimensions& input) { return input.size() == 4; });
}

}  // namespace

std::string_view describe(OutputRoleKind kind) {
  switch (kind) {
    case Kind::Classes:
      return "one score per class";
    case Kind::ClassIndex:
      return "the number of the class";
    case Kind::Decision:
      return "one score for yes or no";
    case Kind::Embedding:
      return "an embedding";
    case Kind::Map:
      return "a class for each pixel";
    case Kind::Mask:
      return "one score for each pixel";
    case Kind::Labels:
      return "several scores for yes or no";
    case Kind::Steps:
      return "a class for each step of a sequence";
    case Kind::Boxes:
      return "boxes of a detector";
    case Kind::Values:
      break;
  }
  return "plain values";
}

OutputEvidence output_evidence(const Model& model) {
  const Port output = model_outputs(model).at(0);
  OutputEvidence evidence{.end = output_end(model, 0), .name = lower(output.name)};
  evidence.is_integer = output.element_type.starts_with('i') || output.element_type.starts_with('u');
  evidence.suppresses_boxes = has_box_suppression(model);
  for (const Port& input : model_inputs(model)) evidence.inputs.push_back(input.shape);
  return evidence;
}

OutputRole find_output_role(const OutputEvidence& evidence, const SampleOutputs& outputs) {
  const OutputKind kind = kind_of_outputs(outputs.shapes, reads_images(evidence));
  const bool are_boxes = kind == OutputKind::Detections || kind == OutputKind::BoxHead;
  if (evidence.suppresses_boxes) return role(Kind::Boxes, "the model suppresses overlapping boxes (NMS)");
  if (are_boxes && evidence.end.kind != OutputEndKind::Softmax) return role(Kind::Boxes, std::string(describe(kind)));
  if (!outputs.has_row_per_sample)
    return role(Kind::Values, "the first dimension of the output is not the number of samples");
  if (outputs.shape.empty()) return role_of_number(evidence, outputs);
  if (evidence.is_integer) return role(Kind::Map, "integers");
  OutputRole found = outputs.shape.size() == 1 ? role_of_vector(evidence, outputs) : role_of_points(evidence, outputs);
  const Dimensions& shape = outputs.shapes.at(0).dimensions;
  found.has_two_channels = shape.size() > 2 && (shape[1] == 2 || shape.back() == 2);
  return found;
}

}  // namespace lpot
