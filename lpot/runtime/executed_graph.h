// The kernels of a compiled model.
#pragma once
#include <memory>
#include <openvino/runtime/compiled_model.hpp>
#include <vector>

#include "lpot/runtime/executable.h"

namespace lpot {

// In execution order, without times.
std::vector<ExecutedOp> executed_graph(const ov::CompiledModel&);

// The bodies of all control flow of a graph (model/bodies.h).
std::vector<std::shared_ptr<ov::Model>> all_bodies(const ov::Model&);

// The kernels of bodies. The plug-in reports an op such as If as one kernel and not what runs inside it. So each body
// is compiled as a separate model, with the same properties; a body that does not compile alone is left out.
std::vector<ExecutedOp> kernels_of_bodies(const std::vector<std::shared_ptr<ov::Model>>&, const ov::AnyMap& properties);

}  // namespace lpot
