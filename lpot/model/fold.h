// Folds constants and batch norm, so that a convolution is directly followed by its bias. Uses only public OpenVINO
// headers.
#pragma once
#include <memory>

namespace ov {
class Model;
}

namespace lpot {

// - Folds constant expressions.
// - Replaces batch norm with a multiplication and an addition, and folds the multiplication into the constant weights
//   of the convolution, transposed convolution or matrix product in front of it, if that has no other consumer.
// - Replaces half-precision constants that are converted to f32 with f32 constants.
// Only f32 ops are folded. Ops keep their names; the addition gets the name of the batch norm.
void fold_constants_and_batch_norm(const std::shared_ptr<ov::Model>&);

}  // namespace lpot
