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

// A folder of its own, gone with it; what is mapped from it stays readable.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "lpot-XXXXXX").string();
    if (::mkdtemp(name.data())) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The child: whatever happens, it ends here.
[[noreturn]] void convert(const std::function<std::shared_ptr<ov::Model>()>& load, const fs::path& xml) {
  int code = 1;
  try {
    ov::serialize(load(), xml.string());
    code = 0;
  } catch (...) {  // the parent loads it again and tells what is wrong
  }
  ::_exit(code);
}

bool ended_well(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// What Linux calls a mapped file that is no longer in its folder.
constexpr std::string_view kMapped = "/model.bin (deleted)";

}  // namespace

void release_mapped_weights() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    // Only what is read and never written can be read again from its file.
    std::uintptr_t begin = 0, end = 0;
    std::array<char, 5> rights{};
    if (!line.ends_with(kMapped) || line.find("/lpot-") == std::string::npos) continue;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, rights.data()) != 3) continue;
    if (rights[0] == 'r' && rights[1] == '-') ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
}

std::shared_ptr<ov::Model> convert_apart(const std::function<std::shared_ptr<ov::Model>()>& load) {
  const Scratch scratch;
  if (scratch.path().empty() || !has_one_thread()) return nullptr;
  const fs::path xml = scratch.path() / "model.xml";
  const pid_t child = ::fork();
  if (child == 0) convert(load, xml);
  if (child < 0 || !ended_well(child)) return nullptr;
  try {
    const auto front_end = ov::frontend::FrontEndManager().load_by_framework("ir");
    return front_end->convert(front_end->load(xml.string(), true));
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace lpot
