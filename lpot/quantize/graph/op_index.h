// Finds the ops of a graph by the name and type that edits use.
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
  // `module`: the operation that error messages name.
  OpIndex(const ov::Model&, std::string module);

  const std::shared_ptr<ov::Node>& find(const std::string& name, const std::string& type) const;  // throws ModelError

 private:
  std::unordered_map<std::string, std::shared_ptr<ov::Node>> ops_;
  std::string module_;
};

}  // namespace lpot
