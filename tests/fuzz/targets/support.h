// Helpers of the targets: write the bytes to a file, and read a data set.
#pragma once
#include <filesystem>
#include <string>

#include "lpot/data/dataset.h"
#include "tests/fuzz/targets/targets.h"

namespace lpot::fuzz {

// A folder of this process, in memory if possible. It is deleted when the process ends.
std::filesystem::path folder();

// Writes folder() / name and returns its path.
std::filesystem::path write(const std::string& name, Bytes);

// Creates the data set that the text describes ("CIFAR10: {root: ...}") and reads its first samples.
void read_dataset(const std::string& component);

// Removes the first byte and returns it as a number in 0..count-1, for targets that read several layouts.
std::size_t choose(Bytes&, std::size_t count);

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The small vocabulary of the repository.
inline const std::string kVocabulary = LPOT_SOURCE_DIR "/tests/data/text/vocab.txt";

}  // namespace lpot::fuzz
