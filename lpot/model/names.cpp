#include "lpot/model/names.h"

#include <fmt/format.h>

#include <map>
#include <openvino/openvino.hpp>
#include <set>

namespace lpot {

void name_ops(const std::shared_ptr<ov::Model>& graph) {
  std::map<std::string, int> unnamed;
  std::map<std::string, int> seen;
  for (const auto& node : graph->get_ordered_ops()) {
    // Without a name of its own a node answers with its unique one, which counts up over all graphs of the process.
    const bool has_name = node->get_friendly_name() != node->get_name();
    std::string name = has_name ? node->get_friendly_name() : fmt::format("{}@{}", node->get_type_name(), unnamed[node->get_type_name()]++);
    if (const int repeats = seen[name]++; repeats > 0) name = fmt::format("{}@{}", name, repeats);
    node->set_friendly_name(name);
  }
}

}  // namespace lpot
