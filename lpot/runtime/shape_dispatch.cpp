#include "lpot/runtime/shape_dispatch.h"

#include <algorithm>

namespace lpot {
namespace {

constexpr std::size_t kMaxShapes = 8;  // compilations; with this number, all other shapes use the dynamic one

bool accepts(const std::vector<Port>& ports, const Shapes& shapes) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::vector<std::int64_t>& open = ports[i].shape;
    const bool fits = std::equal(
        open.begin(), open.end(), shapes[i].begin(), shapes[i].end(),
        [](std::int64_t wanted, std::size_t found) { return wanted < 0 || static_cast<std::size_t>(wanted) == found; });
    if (!fits) return false;
  }
  return true;
}

}  // namespace

ShapeDispatch::ShapeDispatch(const Model& model, bool has_few_lengths)
    : inputs_(model_inputs(model)), has_few_lengths_(has_few_lengths) {}

// Compiles for the first shapes, for shapes that occur again, for texts that are padded to a few lengths, and for
// shapes that the model does not accept dynamically.
bool ShapeDispatch::is_worth_compiling(const Shapes& shapes) {
  if (chosen_.size() >= kMaxShapes) return false;
  return chosen_.empty() || has_few_lengths_ || !seen_.insert(shapes).second || !accepts(inputs_, shapes);
}

Shapes ShapeDispatch::choose(const Shapes& batch) {
  const bool for_these = !only_dynamic_ && (chosen_.contains(batch) || is_worth_compiling(batch));
  return *chosen_.insert(for_these ? batch : Shapes{}).first;
}

void ShapeDispatch::cannot_compile(const Shapes& shapes) {
  chosen_.erase(shapes);
  chosen_.insert(Shapes{});
  only_dynamic_ = true;
}

}  // namespace lpot
