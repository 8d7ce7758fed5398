// The ops of a graph, found by the name and the type that edits give them.
#pragma once
#include <memory>
#include <string>
#include <unordered_map>

namespace ov {
class Model;
class Node;
}  // namespace ov

namespace lpot {

class OpIndex {
 public:
  // `module`: who looks, for the error.
  OpIndex(const ov::Model&, std::string module);

  const std::shared_ptr<ov::Node>& find(const std::string& name, const std::string& type) const;  // throws ModelError

 private:
  std::unordered_map<std::string, std::shared_ptr<ov::Node>> ops_;
  std::string module_;
};

}  // namespace lpot
