// The files and labels of the data set `audio`, and its parameters.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"

namespace lpot {

struct AudioFile {
  std::filesystem::path path;
  std::optional<std::int64_t> category = {};  // number of its class
  std::optional<std::string> text = {};       // its transcript

  Tensor label() const;            // empty if there is neither
  std::string label_text() const;  // for the identity of the data set
};

// The parameter `labels` says where labels come from. Throws DataError if there are no files.
std::vector<AudioFile> find_audio_files(const Component&);

std::vector<Parameter> audio_parameters();

}  // namespace lpot
