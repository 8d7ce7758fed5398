// Keeps ops of a graph in f32 when the model runs in bf16 or f16.
#pragma once
#include <memory>

namespace ov {
class Model;
class Node;
}  // namespace ov

namespace lpot {

// Marks the op with OpenVINO's attribute DisablePrecisionConversion. The mark is part of the saved model and needs no
// setting of the program that runs it. It has no effect on a model that runs in f32.
void keep_in_f32(const std::shared_ptr<ov::Node>&);

// Marks all ops of a graph without int8. The runtime loses the marks of ops that it replaces: attention that runs in
// one kernel, and everything that its int8 transformations touch.
void keep_all_in_f32(const ov::Model&);

}  // namespace lpot
