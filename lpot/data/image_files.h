// Finds image and sound files in folders.
#pragma once
#include <filesystem>
#include <vector>

namespace lpot {

bool is_image_file(const std::filesystem::path&);  // by its ending: .jpg, .jpeg or .png
bool is_sound_file(const std::filesystem::path&);  // by its ending: .wav

// The subfolders that are not hidden, sorted by name.
std::vector<std::filesystem::path> subfolders_of(const std::filesystem::path&);

// The images that are not hidden, sorted by path: directly in the folder, or also in its subfolders.
std::vector<std::filesystem::path> images_directly_in(const std::filesystem::path&);
std::vector<std::filesystem::path> images_below(const std::filesystem::path&);

// The same for sounds.
std::vector<std::filesystem::path> sounds_directly_in(const std::filesystem::path&);
std::vector<std::filesystem::path> sounds_below(const std::filesystem::path&);

}  // namespace lpot
