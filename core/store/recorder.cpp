#include "core/store/recorder.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/files/write_lock.h"
#include "core/files/written_file.h"
#include "core/record/record_bytes.h"
#include "core/run/pane_name.h"
#include "core/run/settings_json.h"
#include "core/store/database.h"
#include "core/store/manifest.h"
#include "core/store/recording.h"

namespace touchstone {

namespace fs = std::filesystem;

namespace {

using Fault = DatabaseError::Fault;

constexpr long kApplication = 0x54536372;  // "TScr", in the header of the file: identifies it even when
                                           // damaged

std::string hexadecimal(unsigned long long hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", hash);
  return text;
}

WholeFrom wholeFrom(const Comparison& comparison) {
  WholeFrom whole;
  whole.all = comparison.frame();
  for (int pane = 0; pane < comparison.paneCount(); ++pane) {
    const auto& frames = comparison.history(pane).frames();
    long first = frames.back()->frame;
    for (auto record = frames.rbegin(); record != frames.rend() && (*record)->frame >= first - 1; ++record)
      first = (*record)->frame;
    whole.panes[comparison.paneId(pane)] = first;
  }
  return whole;
}

void setMeta(Database& database, const std::string& key, const std::string& value) {
  Statement(database, "INSERT OR REPLACE INTO meta VALUES (?, ?)").bind(key).bind(value).finish();
}

/// Merges what a killed program left next to a file into it, if the file is not damaged.
void mend(const std::string& path) {
  try {
    Database(path, Database::Open::Own).run("SELECT 1 FROM sqlite_master");
  } catch (const DatabaseError&) {
    // The file is replaced anyway.
  }
}

}  // namespace

bool mayBeReplaced(const std::string& path) {
  if (!isRecording(path)) return false;
  if (applicationOf(path) == kApplication) return true;
  try {
    Database database(path, Database::Open::Glance);
    Statement format(database, "SELECT value FROM main.meta WHERE key = 'format'");
    // A larger value lets a damaged file take more memory; a smaller one misses the format text.
    constexpr std::size_t kLongest = 100;
    return format.step() && format.bytes(0, kLongest).rfind("Touchstone recording", 0) == 0;
  } catch (const DatabaseError&) {
    return false;
  }
}

void removeRecording(const std::string& path) {
  std::error_code ignored;
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) fs::remove(path + ending, ignored);
}

Recorder::Recorder(const std::string& path, Comparison& comparison, const std::string& command,
                   Earlier earlier)
    : m_path(path), m_place(path), m_comparison(&comparison) {
  if (comparison.paneCount() > static_cast<int>(kMostRecordedPanes))
    throw DatabaseError(Fault::Input, path + ": would hold " + std::to_string(comparison.paneCount()) +
                                          " panes; a recording holds at most " +
                                          std::to_string(kMostRecordedPanes));
  std::error_code ignored;
  const bool exists = fs::exists(fs::symlink_status(path, ignored));
  if (exists && earlier == Earlier::Keep)
    throw DatabaseError(Fault::Input, path + ": exists already; choose another name or remove it first");
  if (exists) {
    if (!mayBeReplaced(path))
      throw DatabaseError(Fault::Input,
                          path + ": is no recording and stays; choose another name, or remove it yourself");
    m_earlierLock = std::make_unique<WriteLock>(path);
    mend(path);
  }
  for (const char* ending : {"-journal", "-wal"})
    if (fs::exists(path + ending, ignored) && fs::file_size(path + ending, ignored) > 0)
      throw DatabaseError(Fault::Input,
                          path + ending +
                              ": is left of another recording of that name; remove it, or choose "
                              "another name");
  const std::string draft = writeDraft(comparison, command);
  m_lock = std::make_unique<WriteLock>(draft);
  if (exists) {
    m_place = draft;
  } else if (!putInFreePlace(draft, path)) {
    removeRecording(draft);
    throw DatabaseError(Fault::Input, path + ": exists already; choose another name or remove it first");
  }
  append();
  comparison.observe(this);
}

std::string Recorder::writeDraft(Comparison& comparison, const std::string& command) {
  const std::string draft = newPart(m_path);
  try {
    m_place = draft;
    m_database = std::make_unique<Database>(draft, Database::Open::New);
    m_database->run("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
    m_database->run("BEGIN");
    createTables(comparison, command);
    prepareInsert();
    for (int pane = 0; pane < comparison.paneCount(); ++pane)
      for (const RecordPtr& record : comparison.history(pane).frames())
        writeFrame(*record, comparison.paneId(pane));
    writeState(comparison);
    m_database->run("COMMIT");
    closeDatabase();
    m_place = m_path;
  } catch (...) {
    closeDatabase();
    removeRecording(draft);
    throw;
  }
  return draft;
}

void Recorder::append() {
  m_database = std::make_unique<Database>(m_place, Database::Open::Own);
  // Waiting for the disk at each frame would take tens of milliseconds. A killed program loses nothing
  // without it.
  m_database->run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF");
  prepareInsert();
}

void Recorder::prepareInsert() {
  std::string marks = "?, ?, ?, ?, ?, ?";
  for (int quantity = 0; quantity < kQuantityCount; ++quantity) marks += ", ?";
  m_insert =
      std::make_unique<Statement>(*m_database, "INSERT OR REPLACE INTO frames VALUES (" + marks + ", ?, ?)");
}

void Recorder::closeDatabase() {
  m_insert.reset();
  m_database.reset();
}

Recorder::~Recorder() {
  m_comparison->observe(nullptr);
  closeDatabase();
}

void Recorder::finish() {
  m_comparison->observe(nullptr);
  closeDatabase();
  waitForDisk(m_place);
  if (m_place != m_path) putInPlace(m_place, m_path);
  m_place = m_path;
}

void Recorder::createTables(const Comparison& comparison, const std::string& command) {
  std::string columns;
  for (const QuantityInfo& info : quantityTable(comparison.scene().planar))
    columns += info.column + " REAL, ";
  m_database->run(
      "PRAGMA application_id = " + std::to_string(kApplication) +
      ";"
      "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);"
      "CREATE TABLE files (path TEXT PRIMARY KEY, content BLOB);"
      "CREATE TABLE panes (id INTEGER PRIMARY KEY, position INTEGER, label TEXT);"
      "CREATE TABLE commands (number INTEGER PRIMARY KEY, frame INTEGER, command TEXT);"
      "CREATE TABLE frames (frame INTEGER, pane INTEGER, time_s REAL, method TEXT, status TEXT, state_hash "
      "TEXT, " +
      columns + "bodies BLOB, detail BLOB, PRIMARY KEY (frame, pane));");
  setMeta(*m_database, "format", kRecordingFormat);
  setMeta(*m_database, "scene", comparison.scene().file);
  setMeta(*m_database, "manifest", manifestText(comparison, {command, comparison.time()}));
  if (comparison.scene().seed != 0)
    setMeta(*m_database, kMovedStart, toJson(comparison.scene().variation, comparison.scene().seed).dump());
  setMeta(*m_database, kWholeFrom, toText(wholeFrom(comparison)));
  Statement insert(*m_database, "INSERT INTO files VALUES (?, ?)");
  for (const auto& [path, source] : comparison.scene().sources)
    insert.bind(path).bindBytes(*source.bytes).finish();
}

// Any error ends the recording, never the run.
template <class Write>
void Recorder::transaction(const Write& write) {
  if (!m_problem.empty()) return;
  try {
    m_database->run("BEGIN");
    write();
    m_database->run("COMMIT");
  } catch (const std::exception& error) {
    m_problem = dynamic_cast<const std::bad_alloc*>(&error)
                    ? m_path + ": there is too little memory to record on"
                    : error.what();
    try {
      m_database->run("ROLLBACK");
    } catch (const DatabaseError&) {
      // A full disk rolls back automatically.
    }
  }
}

void Recorder::writeFrame(const StepRecord& record, int pane) {
  m_insert->bind(record.frame).bind(static_cast<long>(pane)).bind(record.time).bind(record.method);
  m_insert->bind(std::string(toString(record.status))).bind(hexadecimal(record.stateHash));
  for (double value : record.quantities.values) m_insert->bind(value);
  m_insert->bindBytes(bodyBytes(record.bodies)).bindBytes(detailBytes(record)).finish();
  ++m_frames;
}

void Recorder::writeState(const Comparison& comparison) {
  m_database->run("UPDATE panes SET position = NULL");
  Statement pane(*m_database, "INSERT OR REPLACE INTO panes VALUES (?, ?, ?)");
  const std::vector<std::string> labels = paneLabels(comparison.scene(), comparison.settings().panes);
  for (int index = 0; index < comparison.paneCount(); ++index)
    pane.bind(static_cast<long>(comparison.paneId(index)))
        .bind(static_cast<long>(index))
        .bind(labels[index])
        .finish();
  Statement command(*m_database, "INSERT INTO commands VALUES (?, ?, ?)");
  for (; m_commands < comparison.log().size(); ++m_commands) {
    const LoggedCommand& logged = comparison.log()[m_commands];
    command.bind(static_cast<long>(m_commands)).bind(logged.frame).bind(toText(logged.command)).finish();
  }
  setMeta(*m_database, "start", toText(comparison.start()));
  setMeta(*m_database, "now", toText(comparison.settings()));
}

void Recorder::stepped(const Comparison& comparison) {
  transaction([&] {
    for (int pane = 0; pane < comparison.paneCount(); ++pane)
      writeFrame(*comparison.pane(pane).current(), comparison.paneId(pane));
  });
}

void Recorder::changed(const Comparison& comparison, long firstFrame) {
  transaction([&] {
    Statement(*m_database, "DELETE FROM frames WHERE frame >= ?").bind(firstFrame).finish();
    for (int pane = 0; pane < comparison.paneCount(); ++pane)
      for (const RecordPtr& record : comparison.history(pane).frames())
        if (record->frame >= firstFrame) writeFrame(*record, comparison.paneId(pane));
    if (comparison.frame() >= firstFrame) {  // the log may have been rewound too
      m_database->run("DELETE FROM commands");
      m_commands = 0;
    }
    writeState(comparison);
  });
}

void Recorder::cameIn(const Comparison& comparison, int pane) {
  transaction([&] {
    for (const RecordPtr& record : comparison.history(pane).frames())
      writeFrame(*record, comparison.paneId(pane));
  });
}

}  // namespace touchstone
