#include "lpot/evaluate/postprocess_kinds.h"

namespace lpot {
namespace {

const std::vector<PostprocessKind>& kinds() {
  static const std::vector<PostprocessKind> all{boxes(), label_shift(), squad_v1(), ctc()};
  return all;
}

}  // namespace

const Table& postprocesses() {
  static const Table table = table_of(kinds());
  return table;
}

Postprocesses make_postprocesses(const std::vector<Component>& components) {
  Postprocesses chain;
  for (const Component& component : components)
    chain.push_back(make_component(kinds(), component, "postprocessing transform"));
  return chain;
}

}  // namespace lpot
