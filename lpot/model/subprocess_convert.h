// Converts a large TensorFlow model in a child process. The front end needs two to three times the size of the graph
// and does not release most of it. The child returns an IR file, and its weights are memory-mapped.
#pragma once
#include <functional>
#include <memory>

namespace ov {
class Model;
}

namespace lpot {

// Calls `load` in a forked process and returns its graph. Null if `load` threw, if the file could not be written or if
// this process has other threads, which a forked process lacks. The caller then calls `load` itself.
std::shared_ptr<ov::Model> subprocess_convert(const std::function<std::shared_ptr<ov::Model>()>& load);

// Releases the memory of these mapped weights; they are read from the file again when needed. Call it after compiling a
// model, because the compiled model has its own copy of the weights.
void release_mapped_weights();

}  // namespace lpot
