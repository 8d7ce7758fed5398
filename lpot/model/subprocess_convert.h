// Reading a TensorFlow graph takes two to three times its size in memory, of which most is not given back. A large one
// is converted in a child process that ends with all of it; what comes back is IR in a file whose weights are mapped.
#pragma once
#include <functional>
#include <memory>

namespace ov {
class Model;
}

namespace lpot {

// The graph that `load` gives, made in a copy of this process. Null where that cannot be: threads are running already
// (a copy of the process would not have them), no room for the file, or `load` threw; then load it here.
std::shared_ptr<ov::Model> convert_apart(const std::function<std::shared_ptr<ov::Model>()>& load);

// Gives the memory of such mapped weights back; what is read again comes from the file. Worth it once a model is
// compiled, which has its own copy of them.
void release_mapped_weights();

}  // namespace lpot
