// Which inputs of a model the tensors of a data set belong to, and what may be done to make them fit.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace lpot {

// The values of the functions of Dataset with the same names.
struct InputNaming {
  std::vector<std::string> names = {};  // empty: the inputs of the model in their order
  bool names_are_hints = false;
  std::vector<std::size_t> lengths = {};
};

}  // namespace lpot
