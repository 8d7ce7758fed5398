// Texts as a tensor, so that answers and what was expected go where all outputs and labels go: u8 [texts, longest], a
// row of UTF-8 each, filled up with zeros.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

Tensor to_text_tensor(const std::vector<std::string>&);
bool holds_texts(const Tensor&);                   // u8 with two dimensions
std::vector<std::string> to_texts(const Tensor&);  // throws DataError when it holds none

}  // namespace lpot
