// The folder of a model's studies. It contains the store, and a lock so that only one process tunes in it at a time.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/error.h"
#include "lpot/model/model.h"
#include "lpot/store/store.h"

namespace lpot {

// tuning.workspace.path or .resume, else ./lpot_workspace/<name>-<framework>. Throws ConfigError when these two differ.
std::filesystem::path workspace_path(const Config&, const Model&);

// The folder for the saved model: `wanted`, or if it is "", the subfolder of the workspace. Throws ConfigError if a
// saved model would replace a file of the source model there.
std::filesystem::path output_path(const std::filesystem::path& wanted, const char* subfolder, const Config&,
                                  const Model&);

std::filesystem::path store_path(const std::filesystem::path& workspace);  // the file of the store in it

// The error if flock() failed with `code` for the file `lock` of a workspace.
StoreError lock_error(const std::filesystem::path& workspace, int code);

class Workspace {
 public:
  // Creates the folder, locks it and opens the store. Throws StoreError.
  explicit Workspace(std::filesystem::path);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::filesystem::path& path() const { return path_; }
  Store& store() { return *store_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
  std::unique_ptr<Store> store_;
};

// A setting that differs between two studies; values are JSON or "not set". Long values are cut to the part that
// differs.
struct SettingDifference {
  std::string key, before, after;
};
std::vector<SettingDifference> setting_differences(const StudyIdentity& before, const StudyIdentity& after);

// Opens a new study, or with `resume` the latest one with this identity. Throws StoreError when the store has studies
// of another model, or when `resume` finds only studies with other data or settings; the message names the difference.
// `shared`: studies of other models are allowed.
StudyId open_study(Store&, const StudyIdentity&, bool resume, bool shared = false);

}  // namespace lpot
