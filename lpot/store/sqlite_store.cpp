#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/store/sqlite.h"
#include "lpot/store/store.h"

namespace lpot {
namespace {

constexpr int kVersion = 1;

constexpr const char* kSchema = R"(
  CREATE TABLE IF NOT EXISTS studies (
    id INTEGER PRIMARY KEY AUTOINCREMENT, model_name TEXT NOT NULL, model_fingerprint TEXT NOT NULL,
    data TEXT NOT NULL, settings TEXT NOT NULL, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
  CREATE TABLE IF NOT EXISTS trials (
    study INTEGER NOT NULL REFERENCES studies(id), number INTEGER NOT NULL, plan TEXT NOT NULL,
    result TEXT, error TEXT NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (study, number));
  CREATE TABLE IF NOT EXISTS measurements (
    study INTEGER NOT NULL REFERENCES studies(id), key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (study, key));
)";

class SqliteStore : public Store {
 public:
  SqliteStore(const std::filesystem::path& path, bool read_only)
      : database_(path, read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) {
    const std::int64_t version = read_version();
    if (version > kVersion)
      throw StoreError(
          "store",
          fmt::format("{}: written by a newer lpot (layout {}, this one knows {}); use that one, or another workspace",
                      path.string(), version, kVersion));
    if (read_only && version == 0) throw StoreError("store", fmt::format("{}: no study is in it yet", path.string()));
    if (read_only) return;
    database_.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
    if (version == 0)
      database_.execute(fmt::format("BEGIN IMMEDIATE; {} PRAGMA user_version={}; COMMIT;", kSchema, kVersion));
  }

  StudyId create_study(const StudyIdentity& identity) override {
    Statement statement(database_,
                        "INSERT INTO studies (model_name, model_fingerprint, data, settings) VALUES (?, ?, ?, ?)");
    statement.bind(identity.model_name)
        .bind(identity.model_fingerprint)
        .bind(identity.data)
        .bind(identity.settings)
        .step();
    return database_.last_row();
  }

  std::vector<StudyRecord> studies() const override {
    Statement statement(database_, "SELECT id, model_name, model_fingerprint, data, settings FROM studies ORDER BY id");
    std::vector<StudyRecord> records;
    while (statement.step())
      records.push_back(
          {statement.integer(0), {statement.bytes(1), statement.bytes(2), statement.bytes(3), statement.bytes(4)}});
    return records;
  }

  void append(StudyId study, const Trial& trial) override {
    Statement statement(database_,
                        "INSERT INTO trials (study, number, plan, result, error, seconds) VALUES (?, ?, ?, ?, ?, ?)");
    statement.bind(study).bind(static_cast<std::int64_t>(trial.number)).bind(to_json(trial.plan));
    trial.result ? statement.bind(to_json(*trial.result)) : statement.bind_null();
    statement.bind(trial.error).bind(trial.seconds).step();
    if (statement.conflict())
      throw StoreError("store",
                       fmt::format("trial {} of study {} is there already: another process is tuning in this workspace",
                                   trial.number, study));
  }

  std::vector<Trial> trials(StudyId study) const override {
    Statement statement(database_,
                        "SELECT number, plan, result, error, seconds FROM trials WHERE study = ? ORDER BY number");
    statement.bind(study);
    std::vector<Trial> result;
    while (statement.step()) {
      Trial trial;
      trial.number = static_cast<std::size_t>(statement.integer(0));
      trial.plan = plan_from_json(statement.bytes(1));
      if (!statement.is_null(2)) trial.result = measured_from_json(statement.bytes(2));
      trial.error = statement.bytes(3);
      trial.seconds = statement.number(4);
      result.push_back(std::move(trial));
    }
    return result;
  }

  void put(StudyId study, const std::string& key, std::string_view bytes) override {
    Statement statement(database_, "INSERT OR IGNORE INTO measurements (study, key, value) VALUES (?, ?, ?)");
    statement.bind(study).bind(key).bind_blob(bytes).step();
  }

  std::optional<std::string> get(StudyId study, const std::string& key) const override {
    Statement statement(database_, "SELECT value FROM measurements WHERE study = ? AND key = ?");
    statement.bind(study).bind(key);
    if (!statement.step()) return std::nullopt;
    return statement.bytes(0);
  }

 private:
  std::int64_t read_version() const {
    Statement statement(database_, "PRAGMA user_version");
    return statement.step() ? statement.integer(0) : 0;
  }

  Database database_;
};

}  // namespace

std::unique_ptr<Store> open_sqlite_store(const std::filesystem::path& path) {
  return std::make_unique<SqliteStore>(path, false);
}

std::unique_ptr<Store> open_sqlite_store_read_only(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    throw StoreError("store", fmt::format("{}: no such file; is this a workspace of lpot?", path.string()));
  return std::make_unique<SqliteStore>(path, true);
}

}  // namespace lpot
