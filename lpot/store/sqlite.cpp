#include "lpot/store/sqlite.h"

#include <fmt/format.h>

#include <cctype>
#include <cstring>

#include "lpot/core/error.h"

namespace lpot {
namespace {

constexpr const char* kDamagedAdvice = ". The file is damaged or not a store. To start a new study, move it away.";

const char* advice(int code, bool is_read_only) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return ". Free some disk space and resume.";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      if (is_read_only) return "; copy the workspace to a writable folder, and read the copy.";
      return "; the folder must be writable. Set tuning.workspace.path to a writable folder.";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return kDamagedAdvice;
    case SQLITE_IOERR:
      return ". Check whether the disk is full or failing.";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "; another process is writing to the store";
    case SQLITE_NOMEM:
      return ". Free some memory and resume.";
    case SQLITE_TOOBIG:
      return "; the value is too large for the store";
    default:
      return "";
  }
}

// The path as a URI. Letters, digits and "/-._" need no escape.
std::string uri_of(const std::filesystem::path& path, const char* parameters) {
  std::string uri = "file:";
  for (const char letter : path.string()) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_plain = byte < 0x80 && (std::isalnum(byte) || std::strchr("/-._", letter));
    uri += is_plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
  }
  return uri + parameters;
}

}  // namespace

Database::Database(const std::filesystem::path& path, int flags, bool immutable)
    : path_(path), is_read_only_((flags & SQLITE_OPEN_READONLY) != 0) {
  sqlite3* handle = nullptr;
  const std::string name = immutable ? uri_of(std::filesystem::absolute(path), "?immutable=1") : path.string();
  const int code = sqlite3_open_v2(name.c_str(), &handle, immutable ? flags | SQLITE_OPEN_URI : flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail("open");
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, 10000);
}

void Database::fail(const std::string& operation) const {
  const int code = handle_ ? sqlite3_errcode(handle_.get()) : SQLITE_NOMEM;
  throw StoreError("store",
                   fmt::format("{}: cannot {}: {}{}", path_.string(), operation,
                               handle_ ? sqlite3_errmsg(handle_.get()) : "out of memory", advice(code, is_read_only_)));
}

void Database::fail_damaged(const std::string& what) const {
  throw StoreError("store", fmt::format("{}: {}{}", path_.string(), what, kDamagedAdvice));
}

void Database::execute(const std::string& sql) const {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail("write");
}

Statement::Statement(const Database& database, const std::string& sql) : database_(database) {
  sqlite3_stmt* handle = nullptr;
  if (sqlite3_prepare_v2(database.handle_.get(), sql.c_str(), -1, &handle, nullptr) != SQLITE_OK) database.fail("read");
  handle_.reset(handle);
}

// Without this check, SQLite would silently write NULL for a value that could not be bound.
void Statement::check_bound(int code) const {
  if (code != SQLITE_OK) database_.fail("write");
}

Statement& Statement::bind(std::int64_t value) {
  check_bound(sqlite3_bind_int64(handle_.get(), next_++, value));
  return *this;
}

Statement& Statement::bind(double value) {
  check_bound(sqlite3_bind_double(handle_.get(), next_++, value));
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  check_bound(sqlite3_bind_text64(handle_.get(), next_++, text.empty() ? "" : text.data(), text.size(),
                                  SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_blob(std::string_view bytes) {
  // SQLite stores NULL for a null pointer, but an empty value is not NULL.
  check_bound(
      sqlite3_bind_blob64(handle_.get(), next_++, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind_null() {
  check_bound(sqlite3_bind_null(handle_.get(), next_++));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  conflict_ = (code & 0xff) == SQLITE_CONSTRAINT;
  if (code != SQLITE_DONE && !conflict_) database_.fail("read or write");
  return false;
}

std::string Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(handle_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  if (!data && size > 0) database_.fail("read");
  if (!data && !is_null(column) && sqlite3_errcode(sqlite3_db_handle(handle_.get())) == SQLITE_NOMEM)
    database_.fail("read");
  return data ? std::string(static_cast<const char*>(data), size) : std::string();
}

}  // namespace lpot
