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
  enum class Fault { Input, Environment };  ///< the file is not what it should be; disk, rights, memory
  DatabaseError(Fault fault, const std::string& what) : std::runtime_error(what), m_fault(fault) {}
  Fault fault() const { return m_fault; }

 private:
  Fault m_fault;
};

/// Whether a file begins like one of SQLite; false too if it cannot be read, or is no regular file.
bool isDatabaseFile(const std::string& path);
/// The number by which a program marks its SQLite files; 0 for other files.
long applicationOf(const std::string& path);

/// One SQLite file. Not thread-safe. All functions throw DatabaseError.
///
/// A file that another author may have written can do nothing: nothing that it holds is executed (no views,
/// no triggers, no functions in its schema), damage is looked for before anything is read, values have a
/// largest length, and a journal that lies beside it is used only if it names no further file.
class Database {
 public:
  /// New: the file must not exist, or be empty. Own: read and write what this program wrote. Foreign: read
  /// only; what a program that was killed left in a journal is mended where the folder can be written, else
  /// named. Glance: the same without looking for damage, to tell what it is.
  enum class Open { New, Own, Foreign, Glance };
  static constexpr std::size_t kMostValueBytes = std::size_t(256) << 20;

  /// @param progress  asked while damage is looked for, which reads the whole file
  Database(const std::string& path, Open how, const ReadingProgress& progress = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);
  const std::string& path() const { return m_path; }

  /// Fails unless the file holds these tables with at least these columns.
  void requireColumns(const std::map<std::string, std::vector<std::string>>& columnsOfTables);
  /// Names, in order; none where there is no such table. @param table  a name of this program
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

  /// Of a column that holds a whole number within these bounds; fails for all others.
  long integer(int column, long minimum, long maximum) const;
  double real(int column) const;  ///< NULL becomes NaN; fails for text and bytes
  bool isNull(int column) const;
  /// Text or bytes; fails above the length before it reads them.
  std::string bytes(int column, std::size_t mostBytes) const;

 private:
  Database& m_database;
  sqlite3_stmt* m_handle = nullptr;
  int m_bound = 0;
};

}  // namespace touchstone
