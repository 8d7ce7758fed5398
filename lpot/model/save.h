// Writes a model as OpenVINO IR: PATH.xml and PATH.bin, in full precision, shapes as they are.
#pragma once
#include <filesystem>

#include "lpot/model/model.h"

namespace lpot {

// Both files are complete before either takes its name; an older pair stays whole until then. Throws StoreError.
// Returns the bytes of both.
std::size_t save_model(const Model&, const std::filesystem::path& xml);

// The bytes that save_model would write.
std::size_t saved_size(const Model&);

}  // namespace lpot
