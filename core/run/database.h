#pragma once

#include <stdexcept>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace touchstone {

/// A file that cannot be read or written. what() names the file, the problem and the remedy.
class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One SQLite file. Not thread-safe. All functions throw DatabaseError.
class Database {
 public:
  enum class Open { New, Existing };
  /// New: the file must not exist. Existing: read; a file that a killed program left is mended.
  Database(const std::string& path, Open how);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);
  const std::string& path() const { return m_path; }

 private:
  friend class Statement;
  [[noreturn]] void fail() const;
  std::string m_path;
  sqlite3* m_handle = nullptr;
};

/// A prepared statement: bind() in order, then step() while it gives rows, or finish(); both may be repeated.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(long number);
  Statement& bind(double number);  ///< NaN becomes NULL
  Statement& bind(const std::string& text);
  Statement& bindBytes(const std::string& bytes);
  /// @return whether there is a row
  bool step();
  /// Runs to its end and makes ready for the next binding.
  void finish();

  long integer(int column) const;
  double real(int column) const;  ///< NULL becomes NaN
  std::string text(int column) const;
  std::string bytes(int column) const { return text(column); }

 private:
  Database& m_database;
  sqlite3_stmt* m_handle = nullptr;
  int m_bound = 0;
};

}  // namespace touchstone
