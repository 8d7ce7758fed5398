#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>

#include "lpot/core/error.h"
#include "lpot/store/store.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const StudyIdentity kIdentity{"net", "1234", "data", "{}"};

Trial trial(std::size_t number) { return {number, {}, Measurement{0.5, {}, 1, 1, 1, 1, 1}, "", 1.0}; }

void execute(const std::filesystem::path& path, const char* sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
}

TEST(SqliteStore, ReadsEverythingBackAfterReopening) {
  TempFolder folder;
  StudyId study = 0;
  {
    const auto store = open_sqlite_store(folder / "lpot.db");
    study = store->create_study(kIdentity);
    store->append(study, trial(1));
    store->put(study, "baseline", "0.93");
  }
  const auto again = open_sqlite_store(folder / "lpot.db");
  ASSERT_EQ(again->studies().size(), 1u);
  EXPECT_EQ(again->studies()[0].identity, kIdentity);
  EXPECT_EQ(again->trials(study), std::vector<Trial>{trial(1)});
  EXPECT_EQ(again->get(study, "baseline"), "0.93");
}

TEST(SqliteStore, ShowsTheWritesOfOneHandleToAnother) {
  TempFolder folder;
  const auto writer = open_sqlite_store(folder / "lpot.db");
  const auto other = open_sqlite_store(folder / "lpot.db");
  const auto reader = open_sqlite_store_read_only(folder / "lpot.db");
  const StudyId study = writer->create_study(kIdentity);
  writer->append(study, trial(1));
  other->append(study, trial(2));
  EXPECT_EQ(reader->trials(study), (std::vector<Trial>{trial(1), trial(2)}));
  EXPECT_THAT(message_of<StoreError>([&] { other->append(study, trial(1)); }),
              HasSubstr("another process is tuning in this workspace"));
}

TEST(SqliteStore, RejectsWritesWhenOpenedForReading) {
  TempFolder folder;
  open_sqlite_store(folder / "lpot.db");
  const auto reader = open_sqlite_store_read_only(folder / "lpot.db");
  EXPECT_THROW(reader->create_study(kIdentity), StoreError);
}

// Without the right to write, also if the tests run as root.
class ReadOnlyFolder {
 public:
  explicit ReadOnlyFolder(std::filesystem::path path) : path_(std::move(path)), user_(::geteuid()) {
    std::filesystem::permissions(path_, std::filesystem::perms(0555));
    EXPECT_EQ(::seteuid(user_ == 0 ? 65534 : user_), 0);
  }
  ~ReadOnlyFolder() {
    EXPECT_EQ(::seteuid(user_), 0);
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
  }

 private:
  std::filesystem::path path_;
  uid_t user_;
};

TEST(SqliteStore, IsReadFromAFolderThatCannotBeWritten) {
  TempFolder folder;
  std::filesystem::create_directory(folder / "a %41 folder?");
  const std::filesystem::path path = folder / "a %41 folder?/lpot.db";
  StudyId study = 0;
  {
    const auto store = open_sqlite_store(path);
    study = store->create_study(kIdentity);
    store->append(study, trial(1));
  }
  const ReadOnlyFolder read_only(path.parent_path());
  EXPECT_EQ(open_sqlite_store_read_only(path)->trials(study), std::vector<Trial>{trial(1)});
  EXPECT_THAT(message_of<StoreError>([&] { open_sqlite_store(path); }), HasSubstr("tuning.workspace.path"));
}

TEST(SqliteStore, WithAWriteAheadLogInAFolderThatCannotBeWrittenAdvisesToCopy) {
  TempFolder folder;
  std::filesystem::create_directory(folder / "w");
  {
    const auto store = open_sqlite_store(folder / "other.db");
    const StudyId study = store->create_study(kIdentity);
    store->append(study, trial(1));
    for (const char* ending : {"", "-wal"})  // as after kill -9
      std::filesystem::copy_file((folder / "other.db").string() + ending, (folder / "w/lpot.db").string() + ending);
  }
  const ReadOnlyFolder read_only(folder / "w");
  EXPECT_THAT(message_of<StoreError>([&] { open_sqlite_store_read_only(folder / "w/lpot.db"); }),
              AllOf(HasSubstr("copy the workspace"), testing::Not(HasSubstr("tuning.workspace.path"))));
}

TEST(SqliteStore, ReportsAMissingFileWhenOpenedForReadingAndCreatesNone) {
  TempFolder folder;
  EXPECT_THAT(message_of<StoreError>([&] { open_sqlite_store_read_only(folder / "lpot.db"); }),
              AllOf(HasSubstr("lpot.db: no such file"), HasSubstr("expected a workspace of lpot")));
  EXPECT_TRUE(folder.names().empty());
}

TEST(SqliteStore, RejectsAFileThatIsNotAStoreAndDoesNotChangeIt) {
  TempFolder folder;
  std::string text;
  for (int i = 0; i < 500; ++i) text += "a letter to somebody, ";
  write_bytes(folder / "lpot.db", text);
  for (const auto& open : {open_sqlite_store, open_sqlite_store_read_only})
    EXPECT_THAT(message_of<StoreError>([&] { open(folder / "lpot.db"); }),
                AllOf(HasSubstr("lpot.db"), HasSubstr("not a store")));
  EXPECT_EQ(read_bytes(folder / "lpot.db"), text);
}

TEST(SqliteStore, RejectsATruncatedFileInsteadOfReturningSomeTrials) {
  TempFolder folder;
  StudyId study = 0;
  {
    const auto store = open_sqlite_store(folder / "lpot.db");
    study = store->create_study(kIdentity);
    for (std::size_t number = 1; number <= 300; ++number) {
      Trial long_trial = trial(number);
      long_trial.error = std::string(500, 'x');
      store->append(study, long_trial);
    }
  }
  const auto size = std::filesystem::file_size(folder / "lpot.db");
  for (const double share : {0.9, 0.5, 0.1, 0.01}) {
    std::filesystem::resize_file(folder / "lpot.db", static_cast<std::uintmax_t>(share * static_cast<double>(size)));
    EXPECT_THAT(message_of<StoreError>([&] { open_sqlite_store(folder / "lpot.db")->trials(study); }),
                HasSubstr("lpot.db"))
        << share;
  }
}

TEST(SqliteStore, RejectsAStoreOfANewerVersion) {
  TempFolder folder;
  open_sqlite_store(folder / "lpot.db");
  execute(folder / "lpot.db", "PRAGMA user_version=99");
  EXPECT_THAT(message_of<StoreError>([&] { open_sqlite_store(folder / "lpot.db"); }),
              AllOf(HasSubstr("newer version of lpot"), HasSubstr("99")));
}

TEST(SqliteStore, ReportsAFolderThatIsNotWritable) {
  TempFolder folder;
  write_bytes(folder / "file", "in the way");
  EXPECT_THAT(message_of<StoreError>([&] { open_sqlite_store(folder / "file/lpot.db"); }),
              AllOf(HasSubstr("file/lpot.db"), HasSubstr("the folder must be writable")));
}

TEST(SqliteStore, NamesTheRowWithAWrongChecksum) {
  TempFolder folder;
  {
    const auto store = open_sqlite_store(folder / "lpot.db");
    const StudyId study = store->create_study(kIdentity);
    store->append(study, trial(1));
    store->put(study, "statistics", std::string(100000, 'x'));
  }
  execute(folder / "lpot.db", "UPDATE trials SET error = 'another'");
  // A truncated file can leave zeros at the end of a long value.
  execute(folder / "lpot.db",
          "UPDATE measurements SET value = CAST(substr(value, 1, 90000) || zeroblob(10000) AS BLOB)");
  for (const auto& open : {open_sqlite_store, open_sqlite_store_read_only}) {
    const auto store = open(folder / "lpot.db");
    EXPECT_THAT(message_of<StoreError>([&] { store->trials(1); }),
                AllOf(HasSubstr("lpot.db: trial 1 of study 1"), HasSubstr("damaged"), HasSubstr("move it away")));
    EXPECT_THAT(message_of<StoreError>([&] { store->get(1, "statistics"); }), HasSubstr("'statistics' of study 1"));
  }
  execute(folder / "lpot.db", "UPDATE studies SET settings = '{\"a\": 1}'");
  EXPECT_THAT(message_of<StoreError>([&] { open_sqlite_store(folder / "lpot.db")->studies(); }), HasSubstr("study 1"));
}

TEST(SqliteStore, ReportsATruncatedPage) {
  TempFolder folder;
  { open_sqlite_store(folder / "lpot.db")->create_study(kIdentity); }
  std::filesystem::resize_file(folder / "lpot.db", std::filesystem::file_size(folder / "lpot.db") - 100);
  for (const auto& open : {open_sqlite_store, open_sqlite_store_read_only})
    EXPECT_THAT(message_of<StoreError>([&] { open(folder / "lpot.db"); }),
                AllOf(HasSubstr("the end of the file is missing"), HasSubstr("move it away")));
}

// Creates a store of version 1, which has no checksums.
void create_version_1_store(const std::filesystem::path& path) {
  execute(
      path,
      "CREATE TABLE studies (id INTEGER PRIMARY KEY AUTOINCREMENT, model_name TEXT NOT NULL, model_fingerprint TEXT "
      "NOT NULL, data TEXT NOT NULL, settings TEXT NOT NULL, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);"
      "CREATE TABLE trials (study INTEGER NOT NULL REFERENCES studies(id), number INTEGER NOT NULL, plan TEXT NOT "
      "NULL, result TEXT, error TEXT NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (study, number));"
      "CREATE TABLE measurements (study INTEGER NOT NULL REFERENCES studies(id), key TEXT NOT NULL, value BLOB NOT "
      "NULL, PRIMARY KEY (study, key));"
      "INSERT INTO studies VALUES (1, 'net', '1234', 'data', '{}', '');"
      "INSERT INTO trials VALUES (1, 1, '{\"ops\":{}}', NULL, 'failed', 2.5);"
      "INSERT INTO measurements VALUES (1, 'baseline', '0.93'); PRAGMA user_version=1;");
}

TEST(SqliteStore, ReadsAndExtendsAStoreOfVersion1) {
  TempFolder folder;
  create_version_1_store(folder / "lpot.db");
  const Trial old{1, {}, std::nullopt, "failed", 2.5};
  for (const auto& open : {open_sqlite_store_read_only, open_sqlite_store, open_sqlite_store_read_only}) {
    const auto store = open(folder / "lpot.db");
    EXPECT_EQ(store->studies().at(0).identity, kIdentity);
    EXPECT_EQ(store->trials(1), std::vector<Trial>{old});
    EXPECT_EQ(store->get(1, "baseline"), "0.93");
  }
  open_sqlite_store(folder / "lpot.db")->append(1, trial(2));
  EXPECT_EQ(open_sqlite_store(folder / "lpot.db")->trials(1), (std::vector<Trial>{old, trial(2)}));
}

TEST(SqliteStore, RejectsAnInvalidStoredPlan) {
  TempFolder folder;
  create_version_1_store(folder / "lpot.db");
  execute(folder / "lpot.db", "UPDATE trials SET plan = '{\"ops\":'");
  EXPECT_THAT(message_of<StoreError>([&] { open_sqlite_store(folder / "lpot.db")->trials(1); }),
              HasSubstr("invalid plan"));
}

}  // namespace
}  // namespace lpot
