// The progress of a running study, in a small file in its workspace for other processes: {pid, study, stage, done,
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

  // An observer that forwards to `observer` and also writes progress to the file, at most a few times a second. Failed
  // writes are ignored, because the file is for information only. This must outlive the returned observer.
  Observer watch(const Observer&);

 private:
  void write(std::string_view stage, std::size_t done, std::size_t total);

  std::filesystem::path path_;
  StudyId study_;
  std::chrono::steady_clock::time_point last_ = {};
};

// The content of the file; null when no process works on the study.
nlohmann::json read_status(const std::filesystem::path& workspace, StudyId);

}  // namespace lpot
