// A small wrapper of the SQLite functions that the store uses. Every failure throws a StoreError that names the file.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace lpot {

class Database {
 public:
  // `flags`: those of sqlite3_open_v2. A file that only this process can change, or nobody, may be opened as immutable:
  // SQLite then creates no files beside it.
  Database(const std::filesystem::path&, int flags, bool immutable = false);
  void execute(const std::string& sql) const;
  std::int64_t last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }
  [[noreturn]] void fail(const std::string& operation) const;
  [[noreturn]] void fail_damaged(const std::string& what) const;  // the file has unexpected content

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::filesystem::path path_;
  bool is_read_only_;
  std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
 public:
  Statement(const Database&, const std::string& sql);
  Statement& bind(std::int64_t);
  Statement& bind(double);
  Statement& bind(std::string_view text);
  Statement& bind_blob(std::string_view bytes);
  Statement& bind_null();

  bool step();  // true: a row is available. conflict() reports a constraint violation.
  bool conflict() const { return conflict_; }
  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  double number(int column) const { return sqlite3_column_double(handle_.get(), column); }
  bool is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
  std::string bytes(int column) const;  // throws StoreError if memory runs out

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  void check_bound(int code) const;

  int next_ = 1;
  bool conflict_ = false;
};

}  // namespace lpot
