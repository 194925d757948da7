#include "core/run/database.h"

#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <limits>

namespace touchstone {

namespace {

const char* remedyFor(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return "free some space on the disk, or choose another folder";
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "check the path and the rights of the folder";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return "give a file that Touchstone recorded";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program uses the file; close it first";
    default:
      return "give a file that this version of Touchstone recorded";
  }
}

}  // namespace

Database::Database(const std::string& path, Open how) : m_path(path) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(path, ignored);
  if (how == Open::New && exists)
    throw DatabaseError(path + ": exists already; choose another name or remove it first");
  if (how == Open::Existing && !exists) throw DatabaseError(path + ": does not exist; check the path");
  const int flags = how == Open::New ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
  // Reading too needs the right to write: what a killed program left in the log beside the file is moved into
  // it. Where that right is missing the file is read as it is.
  int code = sqlite3_open_v2(path.c_str(), &m_handle, flags, nullptr);
  if (how == Open::Existing && (code != SQLITE_OK || sqlite3_db_readonly(m_handle, "main") == 1)) {
    sqlite3_close(m_handle);
    code = sqlite3_open_v2(("file:" + path + "?immutable=1").c_str(), &m_handle,
                           SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  }
  if (code == SQLITE_OK) return;
  const std::string text = m_handle ? sqlite3_errmsg(m_handle) : "out of memory";
  sqlite3_close(m_handle);
  throw DatabaseError(path + ": cannot be opened (" + text + "); " + remedyFor(code));
}

Database::~Database() { sqlite3_close(m_handle); }

void Database::fail() const {
  const int code = sqlite3_extended_errcode(m_handle);
  throw DatabaseError(m_path + ": " + sqlite3_errmsg(m_handle) + "; " + remedyFor(code));
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(m_handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

Statement::Statement(Database& database, const std::string& sql) : m_database(database) {
  if (sqlite3_prepare_v2(database.m_handle, sql.c_str(), -1, &m_handle, nullptr) != SQLITE_OK)
    database.fail();
}

Statement::~Statement() { sqlite3_finalize(m_handle); }

Statement& Statement::bind(long number) {
  if (sqlite3_bind_int64(m_handle, ++m_bound, number) != SQLITE_OK) m_database.fail();
  return *this;
}

Statement& Statement::bind(double number) {
  if (sqlite3_bind_double(m_handle, ++m_bound, number) != SQLITE_OK) m_database.fail();
  return *this;
}

Statement& Statement::bind(const std::string& text) {
  if (sqlite3_bind_text64(m_handle, ++m_bound, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) !=
      SQLITE_OK)
    m_database.fail();
  return *this;
}

Statement& Statement::bindBytes(const std::string& bytes) {
  if (sqlite3_bind_blob64(m_handle, ++m_bound, bytes.data(), bytes.size(), SQLITE_TRANSIENT) != SQLITE_OK)
    m_database.fail();
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(m_handle);
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    m_bound = 0;
    sqlite3_reset(m_handle);
    m_database.fail();
  }
  return code == SQLITE_ROW;
}

void Statement::finish() {
  while (step()) {
  }
  sqlite3_reset(m_handle);
  m_bound = 0;
}

long Statement::integer(int column) const {
  return static_cast<long>(sqlite3_column_int64(m_handle, column));
}

double Statement::real(int column) const {
  if (sqlite3_column_type(m_handle, column) == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(m_handle, column);
}

std::string Statement::text(int column) const {
  const void* data = sqlite3_column_blob(m_handle, column);
  const int size = sqlite3_column_bytes(m_handle, column);
  return data ? std::string(static_cast<const char*>(data), static_cast<std::size_t>(size)) : std::string();
}

}  // namespace touchstone
