// Checks that a quantized model computes the same outputs with dynamic shapes as with static ones.
//
// lpot evaluates models with static shapes. A program may compile the saved model as it is. If its shapes are dynamic,
// the runtime chooses other kernels, and some of them have had defects that made the outputs wrong.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "lpot/core/observer.h"
#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/tune/int8_check_stage.h"

namespace lpot {

// Outputs of the same sample.
struct ShapeOutputs {
  std::vector<Tensor> with_static, with_dynamic;     // of the quantized model
  std::function<std::vector<Tensor>()> unquantized;  // called only if the others differ
};

// The warning, if the outputs differ by more than rounding explains.
std::optional<std::string> difference_warning(const ShapeOutputs&);

// The same for a quantized model and the model that it was made from. `compile`: with the shapes of the sample.
// Nothing if all shapes are static, and for large models, because compiling them takes long.
std::optional<std::string> dynamic_shape_warning(const Model& source, const Model& quantized,
                                                 const std::vector<Tensor>& sample, const Compile& compile);
void warn_about_dynamic_shapes(const Model& source, const Model& quantized, const std::vector<Tensor>& sample,
                               const Compile&, const Observer&);

}  // namespace lpot
