#include "lpot/data/folder_content.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>

#include "lpot/core/error.h"
#include "lpot/core/text.h"
#include "lpot/data/datasets/image_labels.h"
#include "lpot/data/datasets/npy_file.h"
#include "lpot/data/image_files.h"
#include "lpot/data/text/glue_task.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOperation = "data";

std::vector<fs::path> files_ending_with(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && lower(entry.path().extension().string()) == ending &&
        !entry.path().filename().string().starts_with('.'))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool contains_files_directly(const fs::path& folder, FileTest is_wanted) {
  const fs::directory_iterator entries(folder);
  return std::any_of(begin(entries), end(entries), [&](const auto& entry) {
    return entry.is_regular_file() && is_wanted(entry.path()) && !entry.path().filename().string().starts_with('.');
  });
}

std::vector<fs::path> subfolders_with(const fs::path& root, FileTest is_wanted) {
  std::vector<fs::path> folders = subfolders_of(root);
  std::erase_if(folders, [&](const fs::path& folder) { return !contains_files(folder, is_wanted); });
  return folders;
}

std::string plural(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

using Names = std::vector<std::string>;
const Names kValidation{"val", "valid", "validation", "test", "testing", "dev", "eval"};
const Names kTraining{"train", "training"};
const Names kImages{"images", "image", "imgs", "img", "jpegimages"};
// Folders with pictures that are labels.
const Names kMaps{
    "masks", "mask", "labels", "label", "annotations", "annotation", "segmentationclass", "segmentationobject"};

// The name of a folder in lower case, without a number at its end: "train" for "train2017".
std::string folder_name(const fs::path& folder) {
  std::string name = lower(folder.filename().string());
  name.erase(name.find_last_not_of("0123456789") + 1);
  return name;
}

bool is_one_of(const fs::path& folder, const Names& names) {
  return std::find(names.begin(), names.end(), folder_name(folder)) != names.end();
}

// The first folder that has one of these names, in the order of the names.
std::optional<fs::path> find_named(const std::vector<fs::path>& folders, const Names& names) {
  for (const std::string& name : names)
    for (const fs::path& folder : folders)
      if (folder_name(folder) == name) return folder;
  return std::nullopt;
}

// Reads the files below a folder, which is the root of the content or a folder in it.
using InspectFiles = std::function<FolderContent(FolderContent, const fs::path& folder)>;

FolderContent inspect_part(const FolderContent& content, const fs::path& part, const InspectFiles& inspect) {
  FolderContent found = inspect(content, part);
  found.description = fmt::format("{}: {}", part.filename().string(), found.description);
  return found;
}

// Folders train and val contain the data for calibration and evaluation. If there are only folders with such names, one
// of them is the data set. Otherwise, the root is one data set.
FolderContent inspect_split(const FolderContent& content, const fs::path& root, FileTest is_wanted,
                            const InspectFiles& inspect) {
  const std::vector<fs::path> folders = subfolders_with(root, is_wanted);
  const auto validation = find_named(folders, kValidation);
  const auto training = find_named(folders, kTraining);
  if (!validation || !training) {
    const bool has_only_parts = std::all_of(folders.begin(), folders.end(), [](const fs::path& folder) {
      return is_one_of(folder, kValidation) || is_one_of(folder, kTraining);
    });
    if (folders.empty() || !has_only_parts || contains_files_directly(root, is_wanted)) return inspect(content, root);
    return inspect_part(content, validation ? *validation : *training, inspect);
  }
  FolderContent split = inspect_part(content, *validation, inspect);
  const FolderContent train = inspect_part(content, *training, inspect);
  split.description += "; " + train.description;
  // Classes that differ have no effect, because calibration reads no labels.
  split.calibration = train.evaluation;
  return split;
}

struct ListedImages {
  fs::path list;
  fs::path folder;  // of the images
  ImageLabels labels;
};

// A list of labels with the folder that its file names are relative to; nothing if the file is not such a list, with a
// note in `notes`. Throws DataError if only some of its lines are wrong.
std::optional<ListedImages> read_list(const fs::path& list, const std::vector<fs::path>& folders, const Names& endings,
                                      Names& notes) {
  std::string mistake, first_error;
  for (const fs::path& folder : folders) {
    const FileList files{kOperation, folder, list, endings};
    try {
      return ListedImages{list, folder, read_labels(files)};
    } catch (const DataError& error) {  // another text file, or the files are in another folder
      const std::string message = std::string(error.what()).substr(std::string_view("[data] ").size());
      if (first_error.empty()) first_error = message;
      if (mistake.empty() && starts_with_label(files)) mistake = message;
    }
  }
  if (!mistake.empty())
    throw DataError(kOperation, mistake + ". Correct the line, or remove the list to use the data without labels");
  notes.push_back(fmt::format("{} is no list of labels: {}", list.filename().string(), first_error));
  return std::nullopt;
}

// The first list among the files. Lists of validation data come first, those of training data last.
std::optional<ListedImages> find_label_list(const fs::path& root, const Names& endings, Names& notes) {
  std::vector<fs::path> lists = files_ending_with(root, ".csv");
  for (fs::path& text : files_ending_with(root, ".txt")) lists.push_back(std::move(text));
  const auto rank = [](const fs::path& path) {
    const std::string name = lower(path.stem().string());
    return name.starts_with("val") || name.starts_with("test") ? 0 : name.starts_with("train") ? 2 : 1;
  };
  std::stable_sort(lists.begin(), lists.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::vector<fs::path> folders = subfolders_of(root);
  folders.insert(folders.begin(), root);
  for (const fs::path& list : lists)
    if (auto read = read_list(list, folders, endings, notes)) return read;
  return std::nullopt;
}

FolderContent with_labels(FolderContent content, const ListedImages& list, const std::string& noun) {
  content.notes.clear();  // about other files
  content.classes = list.labels.classes;
  const auto less = [](const LabelledFile& a, const LabelledFile& b) { return *a.label < *b.label; };
  const auto [low, high] = std::minmax_element(list.labels.files.begin(), list.labels.files.end(), less);
  content.labels = {*low->label, *high->label};
  content.description =
      fmt::format("{} with the labels of {}", plural(list.labels.files.size(), noun), list.list.filename().string());
  return content;
}

std::string image_folder(const fs::path& root, bool has_labels) {
  return fmt::format("ImageFolder: {{root: {}{}}}", yaml_text(root.string()), has_labels ? "" : ", labels: none");
}

FolderContent images_in_class_folders(FolderContent content, const fs::path& root,
                                      const std::vector<fs::path>& classes) {
  for (const fs::path& folder : classes) content.classes.push_back(folder.filename().string());
  content.labels = {0, static_cast<std::int64_t>(classes.size()) - 1};
  content.evaluation = image_folder(root, true);
  content.description =
      fmt::format("{} in {} class folders",
                  plural(images_below(root).size() - images_directly_in(root).size(), "image"), classes.size());
  return content;
}

FolderContent images_without_labels(FolderContent content, const fs::path& root) {
  content.evaluation = image_folder(root, false);
  content.description = fmt::format("{} without labels", plural(images_below(root).size(), "image"));
  return content;
}

// The folder `images` if all other subfolders with images have names like `masks`; their pictures are labels.
std::optional<fs::path> images_beside_maps(const fs::path& root) {
  std::vector<fs::path> folders = subfolders_with(root, is_image_file);
  const auto images = find_named(folders, kImages);
  if (!images || contains_files_directly(root, is_image_file)) return std::nullopt;
  std::erase(folders, *images);
  const bool are_maps =
      std::all_of(folders.begin(), folders.end(), [](const fs::path& folder) { return is_one_of(folder, kMaps); });
  return folders.empty() || !are_maps ? std::nullopt : images;
}

// Images in one folder. One subfolder with images is not a class, and neither are subfolders beside images.
FolderContent images_in_folder(FolderContent content, const fs::path& root) {
  if (const auto images = images_beside_maps(root)) return images_without_labels(std::move(content), *images);
  if (subfolders_with(root, is_image_file).size() > 1 && !contains_files_directly(root, is_image_file))
    return images_in_class_folders(std::move(content), root, class_folders(root, is_image_file));
  return images_without_labels(std::move(content), root);
}

FolderContent inspect_images(FolderContent content) {
  const fs::path& root = content.root;
  if (const auto list = find_label_list(root, {".jpg", ".jpeg", ".png"}, content.notes)) {
    content.evaluation = fmt::format("ImagenetRaw: {{data_path: {}, image_list: {}}}", yaml_text(list->folder.string()),
                                     yaml_text(list->list.string()));
    return with_labels(std::move(content), *list, "image");
  }
  if (const auto images = images_beside_maps(root))
    return inspect_split(content, *images, is_image_file, images_without_labels);
  const std::vector<fs::path> folders = subfolders_with(root, is_image_file);
  const bool has_image_folder =
      folders.size() == 1 && is_one_of(folders.front(), kImages) && !contains_files_directly(root, is_image_file);
  return inspect_split(content, has_image_folder ? folders.front() : root, is_image_file, images_in_folder);
}

// Sounds in class folders or without labels. As for images, folders beside sounds are no classes.
FolderContent sounds_in_folder(FolderContent content, const fs::path& root) {
  const std::vector<fs::path> classes = sound_class_folders(root);
  const auto has_sounds = [](const fs::path& folder) { return contains_files(folder, is_sound_file); };
  if (std::count_if(classes.begin(), classes.end(), has_sounds) < 2 || contains_files_directly(root, is_sound_file)) {
    content.evaluation = fmt::format("audio: {{root: {}, labels: none}}", yaml_text(root.string()));
    content.description = plural(sounds_below(root).size(), "sound") + " without labels";
    return content;
  }
  std::size_t count = 0;
  for (const fs::path& folder : classes) count += sounds_below(folder).size();
  for (const fs::path& folder : classes) content.classes.push_back(folder.filename().string());
  content.evaluation = fmt::format("audio: {{root: {}}}", yaml_text(root.string()));
  content.labels = {0, static_cast<std::int64_t>(classes.size()) - 1};
  content.description = fmt::format("{} in {} class folders", plural(count, "sound"), classes.size());
  return content;
}

FolderContent inspect_sounds(FolderContent content) {
  content.kind = FolderKind::Sounds;
  if (const auto list = find_label_list(content.root, {".wav", ".WAV"}, content.notes)) {
    content.evaluation =
        fmt::format("audio: {{root: {}, list: {}}}", yaml_text(list->folder.string()), yaml_text(list->list.string()));
    return with_labels(std::move(content), *list, "sound");
  }
  return inspect_split(content, content.root, is_sound_file, sounds_in_folder);
}

FolderContent inspect_arrays(FolderContent content) {
  for (const fs::path& path : files_ending_with(content.root, ".npy")) {
    const NpyFile file(path);
    content.arrays.push_back({path, file.element_type(), file.shape()});
  }
  content.kind = FolderKind::Arrays;
  content.description = plural(content.arrays.size(), ".npy file");
  return content;
}

FolderContent inspect_sentences(FolderContent content) {
  content.kind = FolderKind::Sentences;
  for (const char* part : {"train", "dev"})
    for (const fs::path& path : files_ending_with(content.root, ".tsv"))
      if (path.filename().string().starts_with(part)) {
        const auto task = detect_glue_task(path);
        if (!task || (!content.task.empty() && content.task != *task)) continue;
        content.task = *task;
        content.files.push_back(path);
        break;
      }
  if (content.files.empty())
    throw DataError(kOperation,
                    fmt::format("{}: found no train*.tsv or dev*.tsv in the format of a GLUE task; expected the "
                                "columns and labels of one of {}",
                                content.root.string(), fmt::join(glue_task_names(), ", ")));
  std::vector<std::string> names;
  for (const fs::path& path : content.files) names.push_back(path.filename().string());
  content.description = fmt::format("sentences of the GLUE task {} in {}", content.task, fmt::join(names, ", "));
  return content;
}

FolderContent inspect_texts(FolderContent content) {
  content.kind = FolderKind::Texts;
  content.files = files_ending_with(content.root, ".txt");
  content.description = plural(content.files.size(), "text file");
  return content;
}

}  // namespace

std::string yaml_text(const std::string& text) { return nlohmann::json(text).dump(); }

FolderContent inspect_folder(const fs::path& given) {
  std::error_code ignored;
  if (!fs::is_directory(given, ignored))
    throw DataError(kOperation, fmt::format("{}: no such folder; expected a folder with the data", given.string()));
  FolderContent content{.root = fs::absolute(given).lexically_normal(), .description = {}};
  if (contains_files(content.root, is_image_file)) return inspect_images(std::move(content));
  if (contains_files(content.root, is_sound_file)) return inspect_sounds(std::move(content));
  if (!files_ending_with(content.root, ".npy").empty()) return inspect_arrays(std::move(content));
  if (!files_ending_with(content.root, ".tsv").empty()) return inspect_sentences(std::move(content));
  std::vector<fs::path> texts = files_ending_with(content.root, ".txt");
  std::erase_if(texts, [](const fs::path& path) { return path.filename() == "vocab.txt"; });
  if (!texts.empty()) return inspect_texts(std::move(content));
  throw DataError(kOperation,
                  fmt::format("{}: found no data; expected images (.jpg, .jpeg, .png), sounds (.wav), arrays (.npy), "
                              "sentences of a GLUE task (.tsv) or texts (.txt). Convert other data to .npy",
                              given.string()));
}

}  // namespace lpot
