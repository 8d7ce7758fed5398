#include "lpot/tune/status.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr auto kBetween = std::chrono::milliseconds(300);

fs::path status_path(const fs::path& workspace) { return workspace / "progress.json"; }

bool is_alive(pid_t process) { return process > 0 && (::kill(process, 0) == 0 || errno == EPERM); }

}  // namespace

StatusFile::StatusFile(const fs::path& workspace, StudyId study) : path_(status_path(workspace)), study_(study) {
  write("start", 0, 0);
}

StatusFile::~StatusFile() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

Observer StatusFile::watch(const Observer& observer) {
  Observer watched = observer;
  watched.on_progress = [this, forward = observer.on_progress](const Progress& step) {
    if (forward) forward(step);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kBetween) return;
    last_ = now;
    write(step.stage, step.done, step.total);
  };
  return watched;
}

void StatusFile::write(std::string_view stage, std::size_t done, std::size_t total) {
  // Not synced: the file has no use after a crash.
  const fs::path temporary = path_.string() + ".tmp";
  std::ofstream(temporary) << nlohmann::json{
      {"pid", ::getpid()}, {"study", study_}, {"stage", stage}, {"done", done}, {"total", total}};
  std::error_code ignored;
  fs::rename(temporary, path_, ignored);
}

nlohmann::json read_status(const fs::path& workspace, StudyId study) {
  std::ifstream file(status_path(workspace));
  const auto status = nlohmann::json::parse(file, nullptr, false);
  if (!status.is_object() || status.value("study", StudyId{0}) != study || !is_alive(status.value("pid", 0)))
    return nullptr;
  return status;
}

}  // namespace lpot
