// Our own folding on public headers, so that a quantizer sees a convolution and its bias and nothing between.
#pragma once
#include <memory>

namespace ov {
class Model;
}

namespace lpot {

// Folds constant expressions, turns batch norm into a multiplication and an addition, and multiplies these into the
// constant weights of the convolution, transposed convolution or matrix product in front where nothing else reads it.
// Constants in half precision that are converted to f32 become f32 constants. Only f32 is folded; graphs that compute
// in other types are left as they are. Ops keep their names; the addition takes the batch norm's.
void fold_constants_and_batch_norm(const std::shared_ptr<ov::Model>&);

}  // namespace lpot
