// Reads boxes, scores and classes from the outputs of a detector.
//
//   const DecodeOptions options{.head = BoxHead::YoloV8, .score_threshold = 0.25};
//   const DecodedBoxes decoded = decode(batch.outputs, batch.labels.size(), options);
//
// Boxes are in the units of the head: pixels of the network's input, or 0..1.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "lpot/evaluate/boxes/box_head.h"
#include "lpot/metrics/detections.h"

namespace lpot {

enum class BoxFormat { Default, CenterSize, Corners, CornersFromTop };  // xywh, xyxy, yxyx; Default: of the head
enum class Activation { None, Sigmoid, Softmax };
enum class Background { Auto, First, Last, None };

// What the SSD head's boxes are relative to, if the model does not decode them.
struct Priors {
  std::vector<double> boxes = {};  // center x, center y, width, height of every anchor, 0..1; empty: decoded boxes
  std::array<double, 4> variances{0.1, 0.1, 0.2, 0.2};
};

struct DecodeOptions {
  BoxHead head = BoxHead::YoloV8;
  BoxFormat format = BoxFormat::Default;
  Activation activation = Activation::None;
  Background background = Background::Auto;
  double score_threshold = 0;
  std::optional<std::size_t> classes = {};  // the expected number; empty: any
  std::size_t ignored_columns = 0;          // after the scores: coefficients of masks, key points
  Priors priors = {};
  std::optional<FrameSize> image = {};  // of the network's input
};

struct DecodedBoxes {
  std::vector<std::vector<Found>> images;  // boxes with a score of at least score_threshold
  bool needs_nms = true;                   // false: the model has suppressed overlapping boxes
};

// Throws DataError with the operation Boxes if the outputs do not fit the head or contain NaN.
DecodedBoxes decode(const std::vector<Tensor>& outputs, std::size_t count, const DecodeOptions&);

}  // namespace lpot
