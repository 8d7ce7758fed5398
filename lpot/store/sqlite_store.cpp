#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/store/sqlite.h"
#include "lpot/store/store.h"

namespace lpot {
namespace {

// Version 1 has no checksums. SQLite detects missing pages of its trees, but not damaged bytes inside a value.
constexpr int kVersion = 2;

constexpr const char* kSchema = R"(
  CREATE TABLE IF NOT EXISTS studies (
    id INTEGER PRIMARY KEY AUTOINCREMENT, model_name TEXT NOT NULL, model_fingerprint TEXT NOT NULL,
    data TEXT NOT NULL, settings TEXT NOT NULL, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    check_sum TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS trials (
    study INTEGER NOT NULL REFERENCES studies(id), number INTEGER NOT NULL, plan TEXT NOT NULL,
    result TEXT, error TEXT NOT NULL, seconds REAL NOT NULL, check_sum TEXT NOT NULL,
    PRIMARY KEY (study, number));
  CREATE TABLE IF NOT EXISTS measurements (
    study INTEGER NOT NULL REFERENCES studies(id), key TEXT NOT NULL, value BLOB NOT NULL, check_sum TEXT NOT NULL,
    PRIMARY KEY (study, key));
)";

// The checksum of rows that version 1 wrote.
constexpr const char* kNoChecksum = "none";

constexpr const char* kUpgradeFromVersion1 = R"(
  ALTER TABLE studies ADD COLUMN check_sum TEXT NOT NULL DEFAULT 'none';
  ALTER TABLE trials ADD COLUMN check_sum TEXT NOT NULL DEFAULT 'none';
  ALTER TABLE measurements ADD COLUMN check_sum TEXT NOT NULL DEFAULT 'none';
)";

std::string check_sum(std::initializer_list<std::string_view> parts) {
  Fingerprint fingerprint;
  for (const std::string_view part : parts) fingerprint.add(part).add(std::string_view("\0", 1));
  return fingerprint.hex();
}

std::string text_of(std::int64_t number) { return std::to_string(number); }
std::string text_of(double number) { return fmt::format("{}", number); }

std::string check_sum(const StudyIdentity& identity) {
  return check_sum({identity.model_name, identity.model_fingerprint, identity.data, identity.settings});
}

// SQLite writes whole pages, so a file that ends within a page was truncated, unless the page is in the write-ahead
// log.
void check_size(const Database& database, const std::filesystem::path& path) {
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (unknown) return;
  const std::uintmax_t log = std::filesystem::file_size(path.string() + "-wal", unknown);
  if (!unknown && log > 0) return;
  Statement statement(database, "PRAGMA page_size");
  if (statement.step() && size % static_cast<std::uintmax_t>(statement.integer(0)) != 0)
    database.fail_damaged(
        fmt::format("the size of {} bytes is not a multiple of the page size; the end of the file is missing", size));
}

// Whether no process on this machine can change the store. In WAL mode, SQLite creates files beside a store that it
// reads, unless it is opened as immutable.
bool cannot_change(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0) return false;
  std::error_code none;
  const std::uintmax_t log = std::filesystem::file_size(path.string() + "-wal", none);
  return none || log == 0;
}

class SqliteStore : public Store {
 public:
  SqliteStore(const std::filesystem::path& path, bool read_only)
      : database_(path, read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                  read_only && cannot_change(path)),
        version_(read_version()) {
    if (version_ > kVersion)
      throw StoreError("store", fmt::format("{}: written by a newer version of lpot (store version {}; expected at "
                                            "most {}). Use that version or another workspace.",
                                            path.string(), version_, kVersion));
    check_size(database_, path);
    if (read_only && version_ == 0)
      throw StoreError("store", fmt::format("{}: the store contains no study yet", path.string()));
    if (read_only) return;
    database_.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
    if (version_ < kVersion)
      database_.execute(fmt::format("BEGIN IMMEDIATE; {} PRAGMA user_version={}; COMMIT;",
                                    version_ == 0 ? kSchema : kUpgradeFromVersion1, kVersion));
    version_ = kVersion;
  }

  StudyId create_study(const StudyIdentity& identity) override {
    Statement statement(
        database_,
        "INSERT INTO studies (model_name, model_fingerprint, data, settings, check_sum) VALUES (?, ?, ?, ?, ?)");
    statement.bind(identity.model_name)
        .bind(identity.model_fingerprint)
        .bind(identity.data)
        .bind(identity.settings)
        .bind(check_sum(identity))
        .step();
    return database_.last_row();
  }

  std::vector<StudyEntry> studies() const override {
    Statement statement(database_, "SELECT id, model_name, model_fingerprint, data, settings, " + check_column() +
                                       " FROM studies ORDER BY id");
    std::vector<StudyEntry> records;
    while (statement.step()) {
      records.push_back(
          {statement.integer(0), {statement.bytes(1), statement.bytes(2), statement.bytes(3), statement.bytes(4)}});
      check_row(statement.bytes(5), check_sum(records.back().identity), fmt::format("study {}", records.back().id));
    }
    return records;
  }

  void append(StudyId study, const Trial& trial) override {
    Statement statement(
        database_,
        "INSERT INTO trials (study, number, plan, result, error, seconds, check_sum) VALUES (?, ?, ?, ?, ?, ?, ?)");
    const std::string plan = to_json(trial.plan), result = trial.result ? to_json(*trial.result) : "";
    statement.bind(study).bind(static_cast<std::int64_t>(trial.number)).bind(plan);
    trial.result ? statement.bind(result) : statement.bind_null();
    statement.bind(trial.error).bind(trial.seconds);
    statement.bind(check_sum({plan, result, trial.error, text_of(trial.seconds)})).step();
    if (statement.conflict())
      throw StoreError("store",
                       fmt::format("trial {} of study {} already exists; another process is tuning in this workspace",
                                   trial.number, study));
  }

  std::vector<Trial> trials(StudyId study) const override {
    Statement statement(database_, "SELECT number, plan, result, error, seconds, " + check_column() +
                                       " FROM trials WHERE study = ? ORDER BY number");
    statement.bind(study);
    std::vector<Trial> result;
    while (statement.step()) {
      Trial trial;
      trial.number = static_cast<std::size_t>(statement.integer(0));
      const std::string plan = statement.bytes(1), measured = statement.is_null(2) ? "" : statement.bytes(2);
      trial.error = statement.bytes(3);
      trial.seconds = statement.number(4);
      check_row(statement.bytes(5), check_sum({plan, measured, trial.error, text_of(trial.seconds)}),
                fmt::format("trial {} of study {}", trial.number, study));
      trial.plan = plan_from_json(plan);
      if (!measured.empty()) trial.result = measurement_from_json(measured);
      result.push_back(std::move(trial));
    }
    return result;
  }

  void update_score(StudyId study, std::size_t number, const Measurement& score) override {
    const std::vector<Trial> all = trials(study);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Trial& trial) { return trial.number == number; });
    if (found == all.end()) throw StoreError("store", fmt::format("study {} has no trial {}", study, number));
    const std::string plan = to_json(found->plan), result = to_json(score);
    Statement statement(database_, "UPDATE trials SET result = ?, check_sum = ? WHERE study = ? AND number = ?");
    statement.bind(result).bind(check_sum({plan, result, found->error, text_of(found->seconds)}));
    statement.bind(study).bind(static_cast<std::int64_t>(number)).step();
  }

  void put(StudyId study, const std::string& key, std::string_view bytes) override {
    Statement statement(database_,
                        "INSERT OR IGNORE INTO measurements (study, key, value, check_sum) VALUES (?, ?, ?, ?)");
    statement.bind(study).bind(key).bind_blob(bytes).bind(check_sum({text_of(study), key, bytes})).step();
  }

  std::optional<std::string> get(StudyId study, const std::string& key) const override {
    Statement statement(database_,
                        "SELECT value, " + check_column() + " FROM measurements WHERE study = ? AND key = ?");
    statement.bind(study).bind(key);
    if (!statement.step()) return std::nullopt;
    std::string value = statement.bytes(0);
    check_row(statement.bytes(1), check_sum({text_of(study), key, value}), fmt::format("'{}' of study {}", key, study));
    return value;
  }

 private:
  std::int64_t read_version() const {
    Statement statement(database_, "PRAGMA user_version");
    return statement.step() ? statement.integer(0) : 0;
  }

  std::string check_column() const { return version_ >= 2 ? "check_sum" : fmt::format("'{}'", kNoChecksum); }

  void check_row(const std::string& stored, const std::string& expected, const std::string& what) const {
    if (stored != expected && stored != kNoChecksum) database_.fail_damaged(what + " does not match its checksum");
  }

  Database database_;
  std::int64_t version_;
};

}  // namespace

std::unique_ptr<Store> open_sqlite_store(const std::filesystem::path& path) {
  return std::make_unique<SqliteStore>(path, false);
}

std::unique_ptr<Store> open_sqlite_store_read_only(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    throw StoreError("store", fmt::format("{}: no such file; expected a workspace of lpot", path.string()));
  return std::make_unique<SqliteStore>(path, true);
}

}  // namespace lpot
