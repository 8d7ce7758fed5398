#include "lpot/tune/workspace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/json.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

std::string cut(const std::string& text) { return text.size() <= 120 ? text : text.substr(0, 117) + "..."; }

// What was and what is, for the first setting that differs.
std::string first_difference(const StudyIdentity& old, const StudyIdentity& now) {
  if (old.model_name != now.model_name)
    return fmt::format("the model's name was {} and is {}", old.model_name, now.model_name);
  if (old.model_fingerprint != now.model_fingerprint)
    return fmt::format("the model was another (fingerprint {}; this one is {})", old.model_fingerprint,
                       now.model_fingerprint);
  const auto before = parse_json_or_discard(old.settings), after = parse_json_or_discard(now.settings);
  if (!before.is_object() || !after.is_object()) return "the settings differ";
  const auto text = [](const nlohmann::json& settings, const std::string& key) {
    return settings.contains(key) ? settings[key].dump() : "not set";
  };
  for (const auto* settings : {&after, &before})
    for (const auto& [key, value] : settings->items())
      if (text(before, key) != text(after, key))
        return fmt::format("{} was {} and is {}", key, cut(text(before, key)), cut(text(after, key)));
  return fmt::format("the data were {} and are {}", old.data, now.data);
}

}  // namespace

fs::path workspace_path(const Config& config, const Model& model) {
  const TuningConfig& tuning = config.tuning;
  if (!tuning.workspace.empty() && !tuning.resume_from.empty() && fs::path(tuning.workspace) != tuning.resume_from)
    throw ConfigError("workspace", fmt::format("tuning.workspace.resume is {}, tuning.workspace.path is {}: a study "
                                               "goes on in its own workspace, give one of the two",
                                               tuning.resume_from, tuning.workspace));
  if (!tuning.resume_from.empty()) return tuning.resume_from;
  if (!tuning.workspace.empty()) return tuning.workspace;
  const std::string name = config.model.name.empty() ? model.source.stem().string() : config.model.name;
  const std::string framework =
      config.model.framework == Framework::Auto ? std::string(to_string(model.format)) : config.model.framework_name;
  return fs::path("lpot_workspace") / fmt::format("{}-{}", name, framework);
}

fs::path store_path(const fs::path& workspace) { return workspace / "lpot.db"; }

Workspace::Workspace(fs::path path) : path_(std::move(path)) {
  create_folder(path_);
  lock_ = ::open((path_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0)
    throw StoreError(
        "workspace",
        fmt::format("{}: cannot write: {}; the folder must be writable, or set tuning.workspace.path to one that is",
                    path_.string(), std::strerror(errno)));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw StoreError(
        "workspace",
        fmt::format(
            "{}: another lpot is tuning in this workspace; wait for it, or set tuning.workspace.path to another folder",
            path_.string()));
  }
  try {
    store_ = open_sqlite_store(store_path(path_));
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

Workspace::~Workspace() { ::close(lock_); }

StudyId open_study(Store& store, const StudyIdentity& identity, bool resume, bool shared) {
  const std::vector<StudyEntry> records = store.studies();
  for (const StudyEntry& record : records)
    if (!shared && record.identity.model_fingerprint != identity.model_fingerprint)
      throw StoreError("workspace", fmt::format("the store holds a study of another model ({}, fingerprint {}; this "
                                                "one is {}, fingerprint {}); set model.name or "
                                                "tuning.workspace.path to another one, or remove the workspace",
                                                record.identity.model_name, record.identity.model_fingerprint,
                                                identity.model_name, identity.model_fingerprint));
  if (!resume || records.empty()) return store.create_study(identity);
  const auto same = std::find_if(records.rbegin(), records.rend(),
                                 [&](const StudyEntry& record) { return record.identity == identity; });
  if (same == records.rend())
    throw StoreError("resume", fmt::format("no study in this workspace has this configuration; in the last one {}; "
                                           "restore that, or tune without --resume for a new study",
                                           first_difference(records.back().identity, identity)));
  return same->id;
}

}  // namespace lpot
