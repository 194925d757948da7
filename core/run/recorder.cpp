#include "core/run/recorder.h"

#include <cstdio>

#include "core/record/record_bytes.h"
#include "core/run/database.h"
#include "core/run/manifest.h"
#include "core/run/pane_name.h"
#include "core/run/recording.h"

namespace touchstone {

namespace {

std::string hexadecimal(unsigned long long hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", hash);
  return text;
}

void setMeta(Database& database, const std::string& key, const std::string& value) {
  Statement(database, "INSERT OR REPLACE INTO meta VALUES (?, ?)").bind(key).bind(value).finish();
}

}  // namespace

Recorder::Recorder(const std::string& path, Comparison& comparison, const std::string& command)
    : m_path(path),
      m_comparison(&comparison),
      m_database(std::make_unique<Database>(path, Database::Open::New)) {
  // With the log beside the file a commit needs no wait for the disk, and a kill loses no whole frame.
  m_database->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  m_database->run("BEGIN");
  createTables(comparison, command);
  std::string marks = "?, ?, ?, ?, ?, ?";
  for (int quantity = 0; quantity < kQuantityCount; ++quantity) marks += ", ?";
  m_insert =
      std::make_unique<Statement>(*m_database, "INSERT OR REPLACE INTO frames VALUES (" + marks + ", ?, ?)");
  for (int pane = 0; pane < comparison.paneCount(); ++pane)
    for (const RecordPtr& record : comparison.history(pane).frames())
      writeFrame(*record, comparison.paneId(pane));
  writeState(comparison);
  m_database->run("COMMIT");
  comparison.observe(this);
}

// A finished recording is one file again: nothing is left beside it.
Recorder::~Recorder() {
  m_comparison->observe(nullptr);
  m_insert.reset();
  try {
    if (m_problem.empty()) m_database->run("PRAGMA journal_mode = DELETE");
  } catch (const DatabaseError&) {
    // The file and its log stay as they are, and can be read.
  }
}

void Recorder::createTables(const Comparison& comparison, const std::string& command) {
  std::string columns;
  for (const QuantityInfo& info : quantityTable(comparison.scene().planar))
    columns += info.column + " REAL, ";
  m_database->run(
      "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);"
      "CREATE TABLE files (path TEXT PRIMARY KEY, content BLOB);"
      "CREATE TABLE panes (id INTEGER PRIMARY KEY, position INTEGER, label TEXT);"
      "CREATE TABLE commands (number INTEGER PRIMARY KEY, frame INTEGER, command TEXT);"
      "CREATE TABLE frames (frame INTEGER, pane INTEGER, time_s REAL, method TEXT, status TEXT, state_hash "
      "TEXT, " +
      columns + "bodies BLOB, detail BLOB, PRIMARY KEY (frame, pane));");
  setMeta(*m_database, "format", kRecordingFormat);
  setMeta(*m_database, "scene", comparison.scene().file);
  setMeta(*m_database, "manifest", manifestText(comparison, comparison.time(), command));
  Statement insert(*m_database, "INSERT INTO files VALUES (?, ?)");
  for (const auto& [path, source] : comparison.scene().sources)
    insert.bind(path).bindBytes(*source.bytes).finish();
}

// Whatever goes wrong ends the recording, never the run.
template <class Write>
void Recorder::transaction(const Write& write) {
  if (!m_problem.empty()) return;
  try {
    m_database->run("BEGIN");
    write();
    m_database->run("COMMIT");
  } catch (const DatabaseError& error) {
    m_problem = error.what();
    try {
      m_database->run("ROLLBACK");
    } catch (const DatabaseError&) {
      // A full disk rolls back by itself.
    }
  }
}

void Recorder::limitSize(long bytes) {
  Statement size(*m_database, "PRAGMA page_size");
  size.step();
  m_database->run("PRAGMA max_page_count = " + std::to_string(bytes / size.integer(0)));
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
  for (int index = 0; index < comparison.paneCount(); ++index) {
    const PaneSettings& settings = comparison.pane(index).settings();
    pane.bind(static_cast<long>(comparison.paneId(index))).bind(static_cast<long>(index));
    pane.bind(paneName(settings)).finish();
  }
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

void Recorder::changed(const Comparison& comparison, long from) {
  transaction([&] {
    Statement(*m_database, "DELETE FROM frames WHERE frame >= ?").bind(from).finish();
    for (int pane = 0; pane < comparison.paneCount(); ++pane)
      for (const RecordPtr& record : comparison.history(pane).frames())
        if (record->frame >= from) writeFrame(*record, comparison.paneId(pane));
    if (comparison.frame() >= from) {  // the log may have been rewound too
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
