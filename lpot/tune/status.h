// What a running study is doing, in a small file of its workspace that others may read: {pid, study, stage, done,
// total}.
#pragma once
#include <chrono>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lpot/core/observer.h"
#include "lpot/store/store.h"

namespace lpot {

class StatusFile {
 public:
  StatusFile(const std::filesystem::path& workspace, StudyId);
  ~StatusFile();  // removes the file
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;

  // The same observer, whose progress also goes to the file, a few times a second at most. The file is only for
  // looking at: where it cannot be written, nothing happens. This must outlive what comes back.
  Observer watch(const Observer&);

 private:
  void write(std::string_view stage, std::size_t done, std::size_t total);

  std::filesystem::path path_;
  StudyId study_;
  std::chrono::steady_clock::time_point last_ = {};
};

// What the study's process says that it is doing; null when no process works on it.
nlohmann::json read_status(const std::filesystem::path& workspace, StudyId);

}  // namespace lpot
