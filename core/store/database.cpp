#include "core/store/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>

#include "core/files/text_forms.h"

namespace touchstone {

namespace fs = std::filesystem;

namespace {

using Fault = DatabaseError::Fault;

Fault faultOf(int code) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return Fault::Input;
    default:
      return Fault::Environment;
  }
}

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
      return "give a file that Touchstone recorded";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program uses the file; close it first";
    default:
      return "give a file that this version of Touchstone recorded";
  }
}

/// Largest root page of a table. A larger value accepts damaged schemas; a smaller one refuses large files,
/// since SQLite allows about 2³² pages.
constexpr long kMostPages = 1L << 32;
/// Waiting time for another program that uses the file. A larger value blocks longer on a hung program; a
/// smaller one reports the file as busy too soon. Writers wait longer, because a reader may check the whole
/// file.
constexpr int kReadersPatience = 10'000, kWritersPatience = 300'000;  // ms

// Fields at the start of a file that are needed here (sqlite.org/fileformat.html).
struct Header {
  bool isDatabase = false, keepsLog = false;  ///< keepsLog: changes go to FILE-wal first
};

Header headerOf(const std::string& path) {
  constexpr char kMagic[] = "SQLite format 3";
  constexpr int kReadVersion = 19, kWal = 2;
  char bytes[20] = {};
  std::ifstream(path, std::ios::binary).read(bytes, sizeof bytes);
  return {std::memcmp(bytes, kMagic, sizeof kMagic) == 0, bytes[kReadVersion] == kWal};
}

std::size_t sizeOf(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : size;
}

/// A journal may end with the name of another file, which SQLite deletes after using the journal. Journals of
/// this program never do.
bool namesFurtherFile(const std::string& journal) {
  constexpr unsigned char kMagic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  unsigned char end[sizeof kMagic] = {};
  std::ifstream in(journal, std::ios::binary);
  in.seekg(-static_cast<std::streamoff>(sizeof end), std::ios::end);
  in.read(reinterpret_cast<char*>(end), sizeof end);
  return in && std::memcmp(end, kMagic, sizeof end) == 0;
}

/// The file may be complete on the machine that wrote it, together with a second file that was not copied.
std::string remedyOfDamage(const std::string& path) {
  return "if the program that wrote it was killed, the file " + path +
         (headerOf(path).keepsLog ? "-wal" : "-journal") +
         " belongs to it: put both into one folder; else record it again";
}

}  // namespace

bool isDatabaseFile(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && headerOf(path).isDatabase;
}

long applicationOf(const std::string& path) {
  constexpr int kPlace = 68;
  unsigned char bytes[4] = {};
  std::ifstream in(path, std::ios::binary);
  in.seekg(kPlace);
  in.read(reinterpret_cast<char*>(bytes), sizeof bytes);
  return in && isDatabaseFile(path) ? (bytes[0] << 24L) + (bytes[1] << 16) + (bytes[2] << 8) + bytes[3] : 0;
}

Database::Database(const std::string& path, Open how, const ReadingProgress& progress) : m_path(path) {
  std::error_code ignored;
  const bool exists = fs::exists(path, ignored);
  if (how == Open::New && exists && sizeOf(path) > 0)
    throw DatabaseError(Fault::Input, path + ": exists already; choose another name or remove it first");
  if (how != Open::New && !fs::is_regular_file(path, ignored))
    throw DatabaseError(Fault::Input,
                        path + ": " + (exists ? "is no file" : "does not exist") + "; check the path");
  try {
    open(how, progress);
  } catch (...) {
    close();
    throw;
  }
}

Database::~Database() { close(); }

void Database::close() {
  sqlite3_close(m_handle);
  m_handle = nullptr;
}

void Database::open(Open how, const ReadingProgress& progress) {
  const bool foreign = how == Open::Foreign || how == Open::Glance;
  if (foreign) {
    openForeign();
  } else {
    const int flags = SQLITE_OPEN_READWRITE | (how == Open::New ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(m_path.c_str(), &m_handle, flags, nullptr) != SQLITE_OK) fail();
  }
  if (!foreign) sqlite3_busy_timeout(m_handle, kWritersPatience);
  defend();
  if (foreign) requirePlainSchema();
  if (how == Open::Foreign) requireWhole(progress);
}

/// @return true if the file can be read
bool Database::openForReading(const std::string& name, int flags) {
  close();
  return sqlite3_open_v2(name.c_str(), &m_handle, flags, nullptr) == SQLITE_OK &&
         sqlite3_busy_timeout(m_handle, kReadersPatience) == SQLITE_OK &&
         sqlite3_exec(m_handle, "PRAGMA schema_version", nullptr, nullptr, nullptr) == SQLITE_OK;
}

// Merges what a killed program left next to the file into it, which needs write permission.
void Database::openForeign() {
  const Header header = headerOf(m_path);
  if (!header.isDatabase)
    throw DatabaseError(Fault::Input,
                        m_path +
                            (sizeOf(m_path) == 0 ? ": is empty: it holds no frames" : ": is no recording") +
                            "; give a file that Touchstone recorded");
  const std::string journal = m_path + "-journal", log = m_path + "-wal";
  if (namesFurtherFile(journal))
    throw DatabaseError(Fault::Input,
                        journal + ": names a further file, which no journal of a recording does; remove it");
  if (openForReading(m_path, SQLITE_OPEN_READWRITE) && sqlite3_db_readonly(m_handle, "main") == 0) return;
  if ((sqlite3_errcode(m_handle) & 0xff) == SQLITE_BUSY) fail();
  for (const std::string& beside : {header.keepsLog ? log : std::string(), journal})
    if (!beside.empty() && sizeOf(beside) > 0)
      throw DatabaseError(Fault::Input, beside + ": holds what was recorded last, and cannot be moved into " +
                                            m_path +
                                            " here; copy both files to a folder that can be written");
  const std::string uri = fileUri(m_path, header.keepsLog ? "immutable=1" : "");
  if (!openForReading(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)) fail();
}

// Settings for files from untrusted sources (sqlite.org/security.html); they do no harm to our own files.
void Database::defend() {
  for (const auto& [option, on] :
       {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        std::pair(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)})
    sqlite3_db_config(m_handle, option, on, nullptr);
  sqlite3_limit(m_handle, SQLITE_LIMIT_LENGTH, static_cast<int>(kMostValueBytes));
  sqlite3_limit(m_handle, SQLITE_LIMIT_ATTACHED, 0);
  run("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA ignore_check_constraints = ON");
}

void Database::requireWhole(const ReadingProgress& progress) {
  bool cancelled = false;
  const std::function<int()> ask = [&] { return cancelled = progress && !progress(0, 0); };
  // Instructions of SQLite's machine, or pages, between two calls of `progress`. A larger value delays
  // cancelling; a smaller one slows the check down.
  constexpr int kInstructions = 100;
  sqlite3_progress_handler(
      m_handle, kInstructions,
      [](void* asked) { return (*static_cast<const std::function<int()>*>(asked))(); },
      const_cast<void*>(static_cast<const void*>(&ask)));
  std::string found = "ok";
  try {
    Statement check(*this, "PRAGMA integrity_check(1)");
    // Of a message. A larger value lets a damaged file take more memory; a smaller one cuts messages.
    constexpr std::size_t kLongest = 1000;
    if (check.step()) found = check.bytes(0, kLongest);
  } catch (const DatabaseError&) {
    if (cancelled) throw ReadingCancelled();
    throw;
  }
  sqlite3_progress_handler(m_handle, 0, nullptr, nullptr);
  if (found == "ok") return;
  throw DatabaseError(Fault::Input, m_path + ": is damaged (" + found + "); " + remedyOfDamage(m_path));
}

void Database::failAsDamaged(const std::string& problem) const {
  throw DatabaseError(Fault::Input, m_path + ": is damaged (" + problem + "); record it again");
}

std::vector<std::string> Database::columnsOf(const std::string& table) {
  // Longest name of a column. A larger value lets a damaged file take more memory; a smaller one refuses long
  // quantity names.
  constexpr std::size_t kLongest = 1000;
  std::vector<std::string> names;
  Statement columns(*this, "PRAGMA main.table_xinfo(" + table + ")");
  constexpr int kName = 1, kHidden = 6;
  while (columns.step()) {
    names.push_back(columns.bytes(kName, kLongest));
    if (columns.integer(kHidden, 0, 3) != 0)
      failAsDamaged("table " + table + " computes its column " + names.back());
  }
  return names;
}

/// Accepts only tables, and the indices that SQLite creates for their keys: nothing that is executed on
/// reading.
void Database::requirePlainSchema() {
  // Longest text of the schema. A larger value lets a damaged file take more memory; a smaller one refuses
  // tables with many columns.
  constexpr std::size_t kLongest = 100'000;
  Statement schema(*this, "SELECT type, name, rootpage, sql FROM sqlite_master");
  while (schema.step()) {
    const std::string type = schema.bytes(0, kLongest), name = schema.bytes(1, kLongest);
    const bool isTable = type == "table" && !schema.isNull(2) && schema.integer(2, 0, kMostPages) > 0;
    const bool isKey = type == "index" && schema.isNull(3);
    if (!isTable && !isKey) failAsDamaged("it holds the " + type + " '" + name + "', which no recording has");
  }
}

void Database::requireColumns(const std::map<std::string, std::vector<std::string>>& columnsOfTables,
                              const std::vector<std::string>& more) {
  const auto isIn = [](const std::vector<std::string>& names, const std::string& name) {
    return std::count(names.begin(), names.end(), name) > 0;
  };
  // Longest name of a table. A larger value lets a damaged file take more memory.
  constexpr std::size_t kLongest = 1000;
  Statement tables(*this,
                   "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  while (tables.step())
    if (const std::string table = tables.bytes(0, kLongest); !columnsOfTables.count(table))
      failAsDamaged("its table " + table + " is not known");
  for (const auto& [table, wanted] : columnsOfTables) {
    const std::vector<std::string> columns = columnsOf(table);
    if (columns.empty()) failAsDamaged("it has no table " + table);
    for (const std::string& column : wanted)
      if (!isIn(columns, column)) failAsDamaged("table " + table + " has no column " + column);
    for (const std::string& column : columns)
      if (!isIn(wanted, column) && !isIn(more, column))
        failAsDamaged("column " + column + " of table " + table + " is not known");
  }
}

void Database::fail() const {
  if (!m_handle) throw std::bad_alloc();
  const int code = sqlite3_extended_errcode(m_handle);
  const bool damaged = (code & 0xff) == SQLITE_CORRUPT;
  throw DatabaseError(faultOf(code), m_path + ": " + sqlite3_errmsg(m_handle) + "; " +
                                         (damaged ? remedyOfDamage(m_path) : remedyFor(code)));
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

long Statement::integer(int column, long minimum, long maximum) const {
  const sqlite3_int64 number = sqlite3_column_int64(m_handle, column);
  if (sqlite3_column_type(m_handle, column) != SQLITE_INTEGER || number < minimum || number > maximum)
    m_database.failAsDamaged(std::string(sqlite3_column_name(m_handle, column)) + " is no number from " +
                             std::to_string(minimum) + " to " + std::to_string(maximum));
  return static_cast<long>(number);
}

double Statement::real(int column) const {
  switch (sqlite3_column_type(m_handle, column)) {
    case SQLITE_NULL:
      return std::numeric_limits<double>::quiet_NaN();
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
      return sqlite3_column_double(m_handle, column);
    default:
      m_database.failAsDamaged(std::string(sqlite3_column_name(m_handle, column)) + " is no number");
  }
}

bool Statement::isNull(int column) const { return sqlite3_column_type(m_handle, column) == SQLITE_NULL; }

std::string Statement::bytes(int column, std::size_t maxBytes) const {
  const int size = sqlite3_column_bytes(m_handle, column);
  if (static_cast<std::size_t>(size) > maxBytes)
    m_database.failAsDamaged(std::string(sqlite3_column_name(m_handle, column)) + " has " +
                             std::to_string(size) + " bytes, at most " + std::to_string(maxBytes) +
                             " are read");
  const void* data = sqlite3_column_blob(m_handle, column);
  if (!data && size > 0) throw std::bad_alloc();
  return data ? std::string(static_cast<const char*>(data), size) : std::string();
}

}  // namespace touchstone
