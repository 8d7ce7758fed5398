// Which kind of result the outputs of a model are, judged by their shapes, and which metrics fit it.
//
//   const std::vector<OutputShape> outputs{{{-1, 22, 2100}}};
//   const OutputKind kind = kind_of_outputs(outputs);   // OutputKind::BoxHead
//   std::cout << fitting_metrics(kind);                 // "BoxAgreement after the postprocess Boxes ..."
//
// The highest value of an output [count,22,2100] is one coordinate of one box. It hardly ever moves, so a metric of
// classes says 1.0 for every int8 model. Metrics of classes therefore refuse such outputs with check_class_scores.
//
// A new kind needs its enumerator, its rule in kind_of_outputs, and its row in the table of output_kind.cpp.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

enum class OutputKind {
  Classes,     // [count,classes]: scores of classes, or an embedding
  Number,      // [count], [count,1]: a class number or a value
  Detections,  // boxes [count,found,4], scores and classes [count,found], optionally number [count]
  BoxHead,     // boxes and scores of all anchors, before NMS; or [count,found,6] after it
  Map,         // [count,channels,height,width]: a value or scores for every pixel
  Rows,        // [count,length,values]: scores for every token, character or time step
  Other,
};

struct OutputShape {
  std::vector<std::int64_t> dimensions;  // the first is the number of samples; -1: unknown
};

// The shapes of the outputs of a batch.
std::vector<OutputShape> shapes_of_outputs(const std::vector<Tensor>& outputs);

// Judges the first output, and for detections all of them. `reads_images`: false if the model is known to read
// something else, so that rows of tokens are not mistaken for boxes.
OutputKind kind_of_outputs(const std::vector<OutputShape>&, bool reads_images = true);

std::string_view describe(OutputKind);         // "boxes and scores of a detector"
std::string_view fitting_metrics(OutputKind);  // names of metrics, with labels and without, and what they need

// "[8,22,2100], [8,22]"
std::string to_string(const std::vector<OutputShape>&);

// Throws DataError with the shapes and the fitting metrics unless the first output has one row of scores, or one value,
// per sample. `metric`: the metric that needs them.
void check_class_scores(const std::vector<Tensor>& outputs, std::string_view metric);
// The same unless the first output has one vector per sample.
void check_embeddings(const std::vector<Tensor>& outputs, std::string_view metric);
// The same if the first output cannot be a map: one vector or value per sample, or boxes.
void check_map(const std::vector<Tensor>& outputs, std::string_view metric);

}  // namespace lpot
