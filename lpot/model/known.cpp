#include "lpot/model/known.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMostBytes = 1 << 20;  // some ten thousand models; then it begins anew

}  // namespace

fs::path default_known_models() {
  const auto variable = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  if (const std::string given = variable("LPOT_MODEL_MEMORY"); !given.empty()) return given == "off" ? "" : given;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "lpot/models.txt";
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache/lpot/models.txt";
  return "";
}

bool is_known(const fs::path& file, const std::string& model) {
  if (file.empty()) return false;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line == model) return true;
  return false;
}

void remember(const fs::path& file, const std::string& model) {
  if (file.empty()) return;
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  const bool is_full = fs::file_size(file, ignored) > kMostBytes && !ignored;
  // One write of one line at the end: processes do not get into each other's way.
  const int open = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (is_full ? O_TRUNC : O_APPEND), 0644);
  if (open < 0) return;
  const std::string line = model + "\n";
  [[maybe_unused]] const auto written = ::write(open, line.data(), line.size());
  ::close(open);
}

}  // namespace lpot
