// Writes a model as OpenVINO IR: PATH.xml and PATH.bin. Constants keep their precision, and inputs keep their shapes.
// report/output_formats.h lists the other formats that a quantized model is saved in, and what a new one needs.
#pragma once
#include <filesystem>

#include "lpot/model/model.h"

namespace lpot {

// Replaces existing files only after both new files are complete. Returns the size of both files in bytes. Throws
// StoreError.
std::size_t save_model(const Model&, const std::filesystem::path& xml);

// The number of bytes that save_model would write.
std::size_t saved_size(const Model&);

}  // namespace lpot
