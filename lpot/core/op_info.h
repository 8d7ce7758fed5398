// An op of a graph, by the name and the type that people see.
#pragma once
#include <string>

namespace lpot {

struct OpInfo {
  std::string name;
  std::string type;
};

}  // namespace lpot
