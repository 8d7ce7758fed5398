#include "lpot/tune/workspace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/json.h"
#include "lpot/report/deployment_files.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kShownCharacters = 80;  // of a value; a longer one is shown around the difference only
constexpr std::size_t kContextCharacters = 12;
constexpr std::size_t kShownSettings = 3;

bool is_separator(char letter) { return std::string_view(" ,;:{}()\"").find(letter) != std::string_view::npos; }

std::string cut_to(std::size_t begin, std::size_t end, const std::string& text) {
  std::string part = text.substr(begin, end - begin);
  if (part.size() > kShownCharacters) part = part.substr(0, kShownCharacters - 3) + "...";
  return (begin > 0 ? "..." : "") + part + (end < text.size() && !part.ends_with("...") ? "..." : "");
}

// The beginning of the words just before `begin`, which say what the value is: "seed 8" instead of "8".
std::size_t with_context(const std::string& text, std::size_t begin) {
  std::size_t start = begin - std::min(begin, kContextCharacters);
  while (start > 0 && start < begin && !is_separator(text[start - 1])) ++start;
  while (start < begin && is_separator(text[start])) ++start;
  return start;
}

// Both values without the words that they share at the beginning and at the end, unless both are short.
std::pair<std::string, std::string> differing_parts(const std::string& before, const std::string& after) {
  if (std::max(before.size(), after.size()) <= kShownCharacters) return {before, after};
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t begin = 0, tail = 0;
  while (begin < shorter && before[begin] == after[begin]) ++begin;
  while (tail < shorter - begin && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  while (begin > 0 && !is_separator(before[begin - 1])) --begin;
  begin = with_context(before, begin);
  while (tail > 0 && !is_separator(before[before.size() - tail])) --tail;
  return {cut_to(begin, before.size() - tail, before), cut_to(begin, after.size() - tail, after)};
}

std::string describe(const std::vector<SettingDifference>& differences) {
  std::vector<std::string> texts;
  for (const SettingDifference& difference : differences)
    if (texts.size() < kShownSettings)
      texts.push_back(fmt::format("{} was {} and is {}", difference.key, difference.before, difference.after));
  if (differences.size() > kShownSettings)
    texts.push_back(fmt::format("{} more settings differ", differences.size() - kShownSettings));
  return fmt::format("{}", fmt::join(texts, "; "));
}

// What differs first: the model, else the settings, else the data.
std::string difference_of(const StudyIdentity& old, const StudyIdentity& now) {
  if (old.model_name != now.model_name)
    return fmt::format("the model's name was {} and is {}", old.model_name, now.model_name);
  if (old.model_fingerprint != now.model_fingerprint)
    return fmt::format("the model has changed (its fingerprint was {} and is {})", old.model_fingerprint,
                       now.model_fingerprint);
  const std::vector<SettingDifference> differences = setting_differences(old, now);
  if (!differences.empty()) return describe(differences);
  const auto [before, after] = differing_parts(old.data, now.data);
  return fmt::format("the data were {} and are {}", before, after);
}

}  // namespace

std::vector<SettingDifference> setting_differences(const StudyIdentity& before, const StudyIdentity& after) {
  const auto old = parse_json_or_discard(before.settings), now = parse_json_or_discard(after.settings);
  if (!old.is_object() || !now.is_object()) return {};
  const auto text = [](const nlohmann::json& settings, const std::string& key) {
    return settings.contains(key) ? dump_json(settings[key]) : "not set";
  };
  std::set<std::string> keys;
  for (const auto* settings : {&old, &now})
    for (const auto& [key, value] : settings->items()) keys.insert(key);
  std::vector<SettingDifference> differences;
  for (const std::string& key : keys) {
    if (text(old, key) == text(now, key)) continue;
    auto [was, is] = differing_parts(text(old, key), text(now, key));
    differences.push_back({key, std::move(was), std::move(is)});
  }
  // Keys of the configuration first: the others, such as "calibration data", follow from them.
  std::stable_partition(differences.begin(), differences.end(), [](const SettingDifference& difference) {
    return difference.key.find('.') != std::string::npos;
  });
  return differences;
}

fs::path workspace_path(const Config& config, const Model& model) {
  const TuningConfig& tuning = config.tuning;
  if (!tuning.workspace.empty() && !tuning.resume_from.empty() && fs::path(tuning.workspace) != tuning.resume_from)
    throw ConfigError("workspace",
                      fmt::format("tuning.workspace.resume is {}, but tuning.workspace.path is {}; a study "
                                  "can only be resumed in its own workspace, so set only one of them",
                                  tuning.resume_from, tuning.workspace));
  if (!tuning.resume_from.empty()) return tuning.resume_from;
  if (!tuning.workspace.empty()) return tuning.workspace;
  const std::string name = config.model.name.empty() ? model.source.stem().string() : config.model.name;
  const std::string framework =
      config.model.framework == Framework::Auto ? std::string(to_string(model.format)) : config.model.framework_name;
  return fs::path("lpot_workspace") / fmt::format("{}-{}", name, framework);
}

fs::path output_path(const fs::path& wanted, const char* subfolder, const Config& config, const Model& model) {
  const fs::path output = wanted.empty() ? workspace_path(config, model) / subfolder : wanted;
  check_replaces_no_source(output, model.source);
  return output;
}

fs::path store_path(const fs::path& workspace) { return workspace / "lpot.db"; }

StoreError lock_error(const fs::path& workspace, int code) {
  if (code == EWOULDBLOCK)
    return StoreError("workspace", fmt::format("{}: another lpot is tuning in this workspace; wait until it ends, or "
                                               "set tuning.workspace.path to another folder",
                                               workspace.string()));
  return StoreError("workspace", fmt::format("{}: cannot lock this file: {}; set tuning.workspace.path to a folder "
                                             "whose file system supports locks, for example on a local disk",
                                             (workspace / "lock").string(), std::strerror(code)));
}

Workspace::Workspace(fs::path path) : path_(std::move(path)) {
  create_folder(path_);
  lock_ = ::open((path_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0)
    throw StoreError(
        "workspace",
        fmt::format("{}: cannot write: {}; make the folder writable, or set tuning.workspace.path to another folder",
                    path_.string(), std::strerror(errno)));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    ::close(lock_);
    throw lock_error(path_, code);
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
      throw StoreError("workspace", fmt::format("the workspace has a study of another model ({}, fingerprint {}; this "
                                                "one is {}, fingerprint {}); change model.name or "
                                                "tuning.workspace.path, or remove the workspace",
                                                record.identity.model_name, record.identity.model_fingerprint,
                                                identity.model_name, identity.model_fingerprint));
  if (!resume || records.empty()) return store.create_study(identity);
  const auto same = std::find_if(records.rbegin(), records.rend(),
                                 [&](const StudyEntry& record) { return record.identity == identity; });
  if (same == records.rend())
    throw StoreError("resume",
                     fmt::format("no study in this workspace has this configuration. Since the last study: {}. Restore "
                                 "the old value, or run without --resume to start a new study",
                                 difference_of(records.back().identity, identity)));
  return same->id;
}

}  // namespace lpot
