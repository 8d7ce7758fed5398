// Stores strings in a tensor, so that text answers and labels are handled like other outputs and labels. The tensor is
// u8 [texts, longest]; each row is a UTF-8 string, padded with zeros.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

Tensor to_text_tensor(const std::vector<std::string>&);
bool holds_texts(const Tensor&);                   // u8 with two dimensions
std::vector<std::string> to_texts(const Tensor&);  // throws DataError if it holds no texts

}  // namespace lpot
