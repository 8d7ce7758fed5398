#include "lpot/data/datasets/image_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <functional>
#include <limits>

#include "lpot/core/error.h"
#include "lpot/core/text.h"
#include "lpot/core/unicode.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

// One line of a list, before the label is an integer.
struct ListedImage {
  std::string file;
  std::string label;
  int line = 0;
};

struct ListFile {
  std::string dataset;
  fs::path path;

  [[noreturn]] void fail(int line, const std::string& message) const {
    throw DataError(dataset, fmt::format("{}:{}: {}", path.string(), line, message));
  }
};

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// Calls `use` with every line that is not empty, without spaces at both ends.
void for_each_line(const ListFile& list, const std::function<void(const std::string&, int)>& use) {
  std::ifstream lines(list.path);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
    line = trim(line);
    if (!line.empty()) use(line, number);
  }
}

constexpr std::size_t kAllLines = std::numeric_limits<std::size_t>::max();

// `most`: the number of lines to read; the others are not checked.
std::vector<ListedImage> read_text_list(const ListFile& list, std::size_t most = kAllLines) {
  std::vector<ListedImage> images;
  for_each_line(list, [&](const std::string& line, int number) {
    if (images.size() >= most) return;
    const auto space = line.find_last_of(" \t");
    ListedImage image{"", "", number};
    if (space != std::string::npos) image = {trim(line.substr(0, space)), line.substr(space + 1), number};
    if (image.file.empty() || !whole_number(image.label))
      list.fail(number, fmt::format("expected a file name and a label, got '{}'", line));
    images.push_back(std::move(image));
  });
  return images;
}

// The fields of a line. A field in quotation marks may contain separators; "" inside it is one quotation mark.
std::vector<std::string> csv_fields(const std::string& line, char separator) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == separator && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  for (std::string& field : fields) field = trim(field);
  return fields;
}

std::optional<std::size_t> find_column(const std::vector<std::string>& header, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    for (std::size_t i = 0; i < header.size(); ++i)
      if (lower(header[i]) == name) return i;
  return std::nullopt;
}

using ColumnNames = std::vector<std::string>;
const ColumnNames kLabelColumns{"label", "class", "category", "target", "label_id", "class_id"};
const ColumnNames kTextColumns{"text", "words", "transcript", "transcription", "sentence", "label"};

struct CsvColumns {
  std::size_t file = 0;
  std::size_t label = 1;
  bool has_header = false;
};

CsvColumns find_columns(const std::vector<std::string>& first, const ColumnNames& labels) {
  const auto file =
      find_column(first, {"file", "filename", "file_name", "image", "image_name", "audio", "path", "name", "id"});
  const auto label = find_column(first, labels);
  if (file && label && *file != *label) return {*file, *label, true};
  return {};
}

std::vector<ListedImage> read_csv(const ListFile& list, const ColumnNames& labels, std::size_t most = kAllLines) {
  std::vector<ListedImage> images;
  std::optional<CsvColumns> columns;
  char separator = ',';
  for_each_line(list, [&](const std::string& line, int number) {
    if (images.size() >= most) return;
    if (!columns) {
      if (line.find(',') == std::string::npos && line.find(';') != std::string::npos) separator = ';';
      columns = find_columns(csv_fields(line, separator), labels);
      if (columns->has_header) return;
    }
    const std::vector<std::string> fields = csv_fields(line, separator);
    if (fields.size() <= std::max(columns->file, columns->label) || fields[columns->file].empty() ||
        fields[columns->label].empty())
      list.fail(number, fmt::format("expected a file name and a label, got '{}'", line));
    images.push_back({fields[columns->file], fields[columns->label], number});
  });
  return images;
}

std::vector<ListedImage> read_text_lines(const ListFile& list) {
  std::vector<ListedImage> lines;
  for_each_line(list, [&](const std::string& line, int number) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos || trim(line.substr(tab)).empty())
      list.fail(number, fmt::format("expected a file name, a tab and a text, got '{}'", line));
    lines.push_back({trim(line.substr(0, tab)), trim(line.substr(tab)), number});
  });
  return lines;
}

fs::path find_image(const ListFile& list, const FileList& files, const ListedImage& image) {
  std::error_code ignored;
  fs::path path = files.folder / image.file;
  if (fs::is_regular_file(path, ignored)) return path;
  for (const std::string& ending : files.endings)
    if (fs::path with_ending = path.string() + ending; fs::is_regular_file(with_ending, ignored)) return with_ending;
  list.fail(image.line, fmt::format("{}: no such file", path.string()));
}

// Empty if all labels are integers, else their sorted names.
std::vector<std::string> class_names(const std::vector<ListedImage>& images) {
  if (std::all_of(images.begin(), images.end(), [](const auto& image) { return whole_number(image.label); })) return {};
  std::vector<std::string> names;
  for (const ListedImage& image : images) names.push_back(image.label);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool is_csv(const fs::path& path) { return lower(path.extension().string()) == ".csv"; }

}  // namespace

ImageLabels read_labels(const FileList& files) {
  const ListFile list{files.dataset, files.list};
  const auto images = is_csv(files.list) ? read_csv(list, kLabelColumns) : read_text_list(list);
  if (images.empty()) throw DataError(files.dataset, fmt::format("{}: the file lists no images", files.list.string()));
  ImageLabels read{{}, class_names(images)};
  for (const ListedImage& image : images) {
    const auto place = std::lower_bound(read.classes.begin(), read.classes.end(), image.label);
    const std::int64_t label = read.classes.empty() ? *whole_number(image.label) : place - read.classes.begin();
    read.files.push_back({find_image(list, files, image), label});
  }
  return read;
}

bool starts_with_label(const FileList& files) {
  const ListFile list{files.dataset, files.list};
  try {
    const auto first = is_csv(files.list) ? read_csv(list, kLabelColumns, 1) : read_text_list(list, 1);
    return !first.empty() && !find_image(list, files, first.front()).empty();
  } catch (const DataError&) {
    return false;
  }
}

std::vector<ListedText> read_texts(const FileList& files) {
  const ListFile list{files.dataset, files.list};
  const auto lines = is_csv(files.list) ? read_csv(list, kTextColumns) : read_text_lines(list);
  if (lines.empty()) throw DataError(files.dataset, fmt::format("{}: the file lists no texts", files.list.string()));
  std::vector<ListedText> texts;
  for (const ListedImage& line : lines) {
    if (const auto invalid = find_invalid_utf8(line.label))
      list.fail(line.line, fmt::format("byte {} of the text is not UTF-8; convert the file to UTF-8", *invalid));
    texts.push_back({find_image(list, files, line), line.label});
  }
  return texts;
}

}  // namespace lpot
