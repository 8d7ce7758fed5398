// Heads whose model suppresses overlapping boxes itself: lists of boxes.
#pragma once
#include <vector>

#include "lpot/evaluate/boxes/decode.h"

namespace lpot {

// EndToEnd, DetectionOutput, BatchedRows, Paddle and Detections.
DecodedBoxes decode_suppressed(const std::vector<Tensor>& outputs, std::size_t count, const DecodeOptions&);

}  // namespace lpot
