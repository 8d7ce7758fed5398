// Which inputs of a model the tensors of a data set belong to, and what may be done to make them fit.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace lpot {

// As the functions of the same names in Dataset say it.
struct InputNaming {
  std::vector<std::string> names = {};  // empty: the model's inputs in their order
  bool customary = false;
  std::vector<std::size_t> lengths = {};
};

}  // namespace lpot
