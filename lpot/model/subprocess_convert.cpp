#include "lpot/model/subprocess_convert.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <openvino/frontend/manager.hpp>
#include <openvino/openvino.hpp>
#include <string>
#include <string_view>

#include "lpot/model/sandboxed_load.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

// A temporary folder that the destructor removes. Files that are mapped stay readable.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "lpot-XXXXXX").string();
    if (::mkdtemp(name.data())) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The child process. Never returns.
[[noreturn]] void convert_and_exit(const std::function<std::shared_ptr<ov::Model>()>& load, const fs::path& xml) {
  int code = 1;
  try {
    ov::serialize(load(), xml.string());
    code = 0;
  } catch (...) {  // the parent loads the model again and reports the error
  }
  ::_exit(code);
}

bool succeeded(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// How /proc/self/maps shows a mapped file that was deleted.
constexpr std::string_view kDeletedWeights = "/model.bin (deleted)";

}  // namespace

void release_mapped_weights() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    // Only read-only pages can be dropped: written pages differ from the file.
    std::uintptr_t begin = 0, end = 0;
    std::array<char, 5> rights{};
    if (!line.ends_with(kDeletedWeights) || line.find("/lpot-") == std::string::npos) continue;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, rights.data()) != 3) continue;
    if (rights[0] == 'r' && rights[1] == '-') ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
}

std::shared_ptr<ov::Model> subprocess_convert(const std::function<std::shared_ptr<ov::Model>()>& load) {
  const TemporaryFolder folder;
  if (folder.path().empty() || !has_one_thread()) return nullptr;
  const fs::path xml = folder.path() / "model.xml";
  const pid_t child = ::fork();
  if (child == 0) convert_and_exit(load, xml);
  if (child < 0 || !succeeded(child)) return nullptr;
  try {
    const auto front_end = ov::frontend::FrontEndManager().load_by_framework("ir");
    return front_end->convert(front_end->load(xml.string(), true));
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace lpot
