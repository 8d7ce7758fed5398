// What the targets share: a file with the bytes, and reading a data set to its end.
#pragma once
#include <filesystem>
#include <string>

#include "lpot/data/dataset.h"
#include "tests/fuzz/targets/targets.h"

namespace lpot::fuzz {

// A folder in memory where there is one, of this process alone; gone at its end.
std::filesystem::path folder();

// Writes folder() / name and gives its path.
std::filesystem::path write(const std::string& name, Bytes);

// Makes the data set that the text describes ("CIFAR10: {root: ...}") and reads its first samples.
void read_dataset(const std::string& component);

// Takes the first byte off, for targets that read several layouts: 0..count-1.
std::size_t choose(Bytes&, std::size_t count);

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The repository's own small vocabulary.
inline const std::string kVocabulary = LPOT_SOURCE_DIR "/tests/data/text/vocab.txt";

}  // namespace lpot::fuzz
