#include "lpot/model/trusted_models.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMaxCacheBytes = 1 << 20;  // about ten thousand models; then the cache is emptied

}  // namespace

fs::path default_trusted_models() {
  const auto variable = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  if (const std::string given = variable("LPOT_MODEL_MEMORY"); !given.empty()) return given == "off" ? "" : given;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "lpot/models.txt";
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache/lpot/models.txt";
  return "";
}

bool is_trusted(const fs::path& cache, const std::string& key) {
  if (cache.empty()) return false;
  std::ifstream lines(cache);
  for (std::string line; std::getline(lines, line);)
    if (line == key) return true;
  return false;
}

void trust(const fs::path& cache, const std::string& key) {
  if (cache.empty()) return;
  std::error_code ignored;
  fs::create_directories(cache.parent_path(), ignored);
  const bool is_full = fs::file_size(cache, ignored) > kMaxCacheBytes && !ignored;
  // One line is appended with one write, so several processes can add models at the same time.
  const int open = ::open(cache.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (is_full ? O_TRUNC : O_APPEND), 0644);
  if (open < 0) return;
  const std::string line = key + "\n";
  [[maybe_unused]] const auto written = ::write(open, line.data(), line.size());
  ::close(open);
}

}  // namespace lpot
