// Finds image and sound files in folders.
#pragma once
#include <filesystem>
#include <vector>

namespace lpot {

bool is_image_file(const std::filesystem::path&);  // by its ending: .jpg, .jpeg or .png
bool is_sound_file(const std::filesystem::path&);  // by its ending: .wav

// The subfolders that are not hidden, sorted by name.
std::vector<std::filesystem::path> subfolders_of(const std::filesystem::path&);

using FileTest = bool (*)(const std::filesystem::path&);

// Whether there are such files, which are not hidden, in a folder or below it.
bool contains_files(const std::filesystem::path& folder, FileTest);

// The subfolders that are classes, sorted by name: those that contain such files, and empty ones, so that a class
// without samples still counts. Folders with only other files, such as annotations, are not classes.
std::vector<std::filesystem::path> class_folders(const std::filesystem::path& root, FileTest);

// The images that are not hidden, sorted by path: directly in the folder, or also in its subfolders.
std::vector<std::filesystem::path> images_directly_in(const std::filesystem::path&);
std::vector<std::filesystem::path> images_below(const std::filesystem::path&);

// The same for sounds. `_background_noise_` of Speech Commands is not a class.
std::vector<std::filesystem::path> sound_class_folders(const std::filesystem::path& root);
std::vector<std::filesystem::path> sounds_directly_in(const std::filesystem::path&);
std::vector<std::filesystem::path> sounds_below(const std::filesystem::path&);

}  // namespace lpot
