// Finds the ops at the end of a detector that compute coordinates of boxes. They stay in float.
//
// A YOLOv8 head predicts a distribution for the distance of each side, and a convolution with the weights 0, 1, ... 15
// computes its expected value. It has almost no cost, and in int8 its error moves the boxes: probabilities are rounded
// in steps of 1/255. No other op after the last convolutions of a head is quantized, so boxes and scores that leave the
// model in one tensor have no common scale.
#pragma once

namespace ov {
class Node;
}

namespace lpot {

// Whether a convolution computes the expected value of a distribution: one output channel, behind a softmax.
bool decodes_boxes(const ov::Node&);

}  // namespace lpot
