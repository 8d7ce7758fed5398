// The heads of detectors: how boxes and scores are stored in the outputs of a model.
//
//   const auto head = find_head(batch.outputs, batch.labels.size(), FrameSize{640, 640});
//   if (head) std::cout << describe(*head);   // "end_to_end: [count,found,6]: corners, score and class, after NMS"
//
// A new head needs its enumerator, its row in the table of box_head.cpp, its rule in find_head and its function in
// decode.cpp.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

enum class BoxHead {
  YoloV5,           // [count,anchors,5+classes]: center, size, objectness, scores
  YoloV8,           // [count,4+classes,anchors] or transposed (RT-DETR): center, size, scores
  YoloX,            // [count,cells,5+classes]: as YoloV5, with one anchor per cell; decoded or relative to the cell
  Ssd,              // boxes [count,anchors,4] and scores [count,anchors,classes]
  EndToEnd,         // [count,found,6]: corners, score, class
  DetectionOutput,  // [1,1,found,7] of OpenVINO: image, class, score, corners
  BatchedRows,      // [found,7] of YOLOv7: image, corners, class, score
  Paddle,           // [found,6]: class, score, corners; with the number of boxes per image [count]
  Detections,       // boxes [count,found,4], scores and classes [count,found], optionally number [count]; or below
};

// The outputs of some detectors as those of BoxHead::Detections: boxes [found,4], scores and classes [found] of a model
// for one image (torchvision), and boxes with scores [count,found,5] and classes [count,found] (mmdeploy). Nothing for
// other outputs.
std::optional<std::vector<Tensor>> as_detections(const std::vector<Tensor>& outputs, std::size_t count);

struct FrameSize {
  double height = 0, width = 0;
};

// The size of the images of a batch: that of the first input with four dimensions and 1 to 4 channels. Nothing if there
// is none.
std::optional<FrameSize> image_size(const std::vector<Shape>& input_shapes);

// Number of cells of grids with strides of 8, 16 and 32 pixels.
std::size_t count_cells(const FrameSize&);

// Judges the shapes. Nothing if they fit no head.
std::optional<BoxHead> find_head(const std::vector<Tensor>& outputs, std::size_t count,
                                 const std::optional<FrameSize>&);

std::vector<std::string> head_names();             // for the parameter `head`
BoxHead parse_head(std::string_view name);         // one of head_names
std::string describe(BoxHead);                     // name, shapes and columns
std::string describe(const std::vector<Tensor>&);  // "f32 [1,22,2100], f32 [1,4]"

}  // namespace lpot
