#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/files/reading_progress.h"

struct sqlite3;
struct sqlite3_stmt;

namespace touchstone {

/// A file that cannot be read or written. what() names the file, the problem and the remedy.
class DatabaseError : public std::runtime_error {
 public:
  enum class Fault { Input, Environment };  ///< the file is not valid; or disk, rights, memory
  DatabaseError(Fault fault, const std::string& what) : std::runtime_error(what), m_fault(fault) {}
  Fault fault() const { return m_fault; }

 private:
  Fault m_fault;
};

/// True if a file begins like an SQLite file; false too if it cannot be read or is not a regular file.
bool isDatabaseFile(const std::string& path);
/// The application number that a program writes into its SQLite files; 0 for other files.
long applicationOf(const std::string& path);

/// One SQLite file. Not thread-safe. All functions throw DatabaseError.
///
/// A file from an untrusted source is safe to open. Nothing in it is executed (no views, no triggers, no
/// functions in its schema), it is checked for damage before it is read, values have a largest length, and a
/// journal next to it is used only if it does not name another file.
class Database {
 public:
  /// New: the file must not exist, or must be empty. Own: read and write a file of this program. Foreign:
  /// read only; a journal that a killed program left is applied if the folder is writable, else an error
  /// names it. Glance: like Foreign, without the check for damage, to identify a file.
  enum class Open { New, Own, Foreign, Glance };
  /// Longest value that is read or written. A larger one lets a damaged file take more memory; a smaller one
  /// refuses large meshes and frames.
  static constexpr std::size_t kMostValueBytes = std::size_t(256) << 20;

  /// @param progress  called during the check for damage, which reads the whole file
  Database(const std::string& path, Open how, const ReadingProgress& progress = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);
  const std::string& path() const { return m_path; }

  /// Fails unless the file has these tables with these columns, and no other table and column.
  /// @param more  columns that any table may have too
  void requireColumns(const std::map<std::string, std::vector<std::string>>& columnsOfTables,
                      const std::vector<std::string>& more = {});
  /// Names of the columns, in order; empty if there is no such table. @param table  a name from this program
  std::vector<std::string> columnsOf(const std::string& table);
  [[noreturn]] void failAsDamaged(const std::string& problem) const;

 private:
  friend class Statement;
  void open(Open how, const ReadingProgress& progress);
  void openForeign();
  bool openForReading(const std::string& uri, int flags);
  void close();
  void defend();
  void requirePlainSchema();
  void requireWhole(const ReadingProgress& progress);
  [[noreturn]] void fail() const;
  std::string m_path;
  sqlite3* m_handle = nullptr;
};

/// A prepared statement. Call bind() in order, then step() while it returns rows, or finish(). Can be
/// repeated.
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
  /// @return true if there is a row
  bool step();
  /// Runs the statement to its end and resets it for the next bind().
  void finish();

  /// A column that must hold an integer within these bounds; fails otherwise.
  long integer(int column, long minimum, long maximum) const;
  double real(int column) const;  ///< NULL becomes NaN; fails for text and bytes
  bool isNull(int column) const;
  /// Text or bytes; fails before reading if they are longer than the limit.
  std::string bytes(int column, std::size_t maxBytes) const;

 private:
  Database& m_database;
  sqlite3_stmt* m_handle = nullptr;
  int m_bound = 0;
};

}  // namespace touchstone
