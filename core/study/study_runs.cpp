#include "core/study/study_runs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/files/file_bytes.h"
#include "core/files/written_file.h"
#include "core/run/settings_json.h"
#include "core/store/database.h"
#include "core/store/provenance.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

constexpr char kFormat[] = "Touchstone study 1";
// Longest text of a cell. A larger value lets a damaged file take more memory; a smaller one refuses long
// reasons.
constexpr std::size_t kLongestText = 10'000;
constexpr long kMostCount = std::numeric_limits<long>::max();

// One list of members serves writing and reading.
const char* const kRunColumns =
    "pane, dt_s, seed, frames, crashed_at_s, reason, overlap_median, overlap_quartile, overlap_max, "
    "depth_max_m, "
    "unsolved, trap_share, solves_per_frame, halved_frames, step_time_ms";

StudyRun runOf(const Statement& row) {
  StudyRun run;
  int column = 1;  // after the number of the task
  run.pane = row.bytes(column++, kLongestText);
  run.dt = row.real(column++);
  run.seed = static_cast<int>(row.integer(column++, 0, std::numeric_limits<int>::max()));
  run.frames = row.integer(column++, 0, kMostCount);
  run.crashedAt = row.real(column++);
  run.reason = row.bytes(column++, kLongestText);
  for (double* value : {&run.overlapMedian, &run.overlapQuartile, &run.overlapMax, &run.depthMax})
    *value = row.real(column++);
  run.unsolved = row.integer(column++, 0, kMostCount);
  run.trapShare = row.real(column++);
  run.solves = row.real(column++);
  run.bisected = row.integer(column++, 0, kMostCount);
  run.milliseconds = row.real(column++);
  return run;
}

/// Lock on a byte far beyond the end of the file, away from the locks of SQLite.
struct flock signOf(long worker) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t(1) << 40) + worker;
  lock.l_len = 1;
  return lock;
}

std::string thisProcess() {
  std::string name;
  std::ifstream command("/proc/self/comm");
  std::getline(command, name);
  return "process " + std::to_string(getpid()) + (name.empty() ? "" : " (" + name + ")");
}

/// Hash of everything that affects the result of a run, which the label does not. Another version may compute
/// another result.
std::string hashOfRun(const Study& study, const Scene& scene, const StudyPane& pane, double dt, int seed) {
  PaneSettings settings = pane.settings;
  resolve(scene, settings);
  settings.parameters = valuesInForce(scene, settings);
  const Json version = provenance();
  Json json{{"version", version.at("version")}, {"commit", version.at("commit")}};
  for (const auto& [file, source] : scene.sources) json["scene"][file] = source.hash;
  json["pane"] = toJson(settings);
  json["dt_s"] = dt;
  json["time_s"] = study.time;
  json["crash_speed"] = study.crashSpeed;
  json["seed"] = seed;
  if (seed != 0) json["variation"] = {study.variation.position, study.variation.angle, study.variation.spin};
  return hashOf(json.dump());
}

class Transaction {
 public:
  explicit Transaction(Database& database) : m_database(database) { m_database.run("BEGIN IMMEDIATE"); }
  ~Transaction() {
    if (!m_done) try {
        m_database.run("ROLLBACK");
      } catch (const DatabaseError&) {
        // The transaction has rolled back automatically.
      }
  }
  void commit() {
    m_database.run("COMMIT");
    m_done = true;
  }

 private:
  Database& m_database;
  bool m_done = false;
};

/// Gives the new, complete file without runs its name, unless another program has just created the file.
void makeRuns(const std::string& path) {
  const std::string draft = newPart(path);
  try {
    Database(draft, Database::Open::New)
        .run(
            "PRAGMA journal_mode = MEMORY; BEGIN; CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);"
            "INSERT INTO meta VALUES ('format', '" +
            std::string(kFormat) +
            "');"
            "CREATE TABLE workers (id INTEGER PRIMARY KEY, process TEXT);"
            "CREATE TABLE runs (hash TEXT PRIMARY KEY, worker INTEGER, done INTEGER NOT NULL, "
            "pane TEXT, dt_s REAL, seed INTEGER, frames INTEGER, crashed_at_s REAL, reason TEXT, "
            "overlap_median REAL, overlap_quartile REAL, overlap_max REAL, depth_max_m REAL, unsolved "
            "INTEGER, "
            "trap_share REAL, solves_per_frame REAL, halved_frames INTEGER, step_time_ms REAL); COMMIT");
    waitForDisk(draft);
    if (!putInFreePlace(draft, path)) std::remove(draft.c_str());
  } catch (...) {
    std::remove(draft.c_str());
    throw;
  }
}

/// SQLite would merge an existing journal into the file that gets the name.
void requireNoJournal(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const std::string journal = path + "-journal";
  if (!fs::exists(journal, ignored) || fs::file_size(journal, ignored) == 0) return;
  if (fs::exists(path, ignored)) return;  // another program has just created the file
  throw DatabaseError(DatabaseError::Fault::Input,
                      journal + ": is left of another study; remove it, or choose another folder");
}

}  // namespace

std::vector<StudyTask> tasksOf(const Study& study, const Scene& scene) {
  std::vector<StudyTask> tasks;
  for (int seed : study.seeds)
    for (double dt : study.dt)
      for (const StudyPane& pane : study.panes)
        tasks.push_back({hashOfRun(study, scene, pane, dt, seed), &pane, dt, seed});
  return tasks;
}

StudyRuns::StudyRuns(const std::string& path, std::vector<StudyTask> tasks) : m_tasks(std::move(tasks)) {
  make(path);
  m_signs = open(path.c_str(), O_RDWR | O_CLOEXEC);
  m_database = std::make_unique<Database>(path, Database::Open::Own);
  m_database->run("PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
  sign();
  want();
}

StudyRuns::~StudyRuns() {
  m_database.reset();  // closing a file releases the locks of SQLite on it
  if (m_signs >= 0) close(m_signs);
}

/// Creates the file if it does not exist, and checks an existing one.
void StudyRuns::make(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    requireNoJournal(path);
    makeRuns(path);
  }
  Database file(path, Database::Open::Foreign);
  file.requireColumns({{"meta", {"key", "value"}},
                       {"workers", {"id", "process"}},
                       {"runs", {"hash", "worker", "done", "pane", "step_time_ms"}}});
  Statement format(file, "SELECT value FROM main.meta WHERE key = 'format'");
  if (!format.step() || format.bytes(0, kLongestText) != kFormat)
    throw DatabaseError(DatabaseError::Fault::Input,
                        path + ": holds no study that this version reads; choose another folder");
}

/// Adds a worker, whose lock shows that it runs.
void StudyRuns::sign() {
  Transaction transaction(*m_database);
  Statement(*m_database, "INSERT INTO workers (process) VALUES (?)").bind(thisProcess()).finish();
  Statement id(*m_database, "SELECT last_insert_rowid()");
  id.step();
  m_worker = id.integer(0, 1, kMostCount);
  id.finish();
  struct flock sign = signOf(m_worker);
  fcntl(m_signs, F_OFD_SETLK, &sign);
  transaction.commit();
}

/// Writes the tasks to a table for queries.
void StudyRuns::want() {
  m_database->run(
      "CREATE TEMP TABLE wanted (number INTEGER PRIMARY KEY, hash TEXT);"
      "CREATE INDEX wanted_hash ON wanted (hash)");
  Transaction transaction(*m_database);
  Statement row(*m_database, "INSERT INTO wanted VALUES (?, ?)");
  for (std::size_t task = 0; task < m_tasks.size(); ++task)
    row.bind(static_cast<long>(task)).bind(m_tasks[task].hash).finish();
  m_database->run("INSERT OR IGNORE INTO runs (hash, done) SELECT hash, 0 FROM wanted");
  transaction.commit();
}

bool StudyRuns::lives(long worker) const {
  struct flock sign = signOf(worker);
  return fcntl(m_signs, F_OFD_GETLK, &sign) == 0 && sign.l_type != F_UNLCK;
}

/// "3, 7": the running workers of other programs that have claims.
std::string StudyRuns::livingOthers() {
  std::string list;
  Statement workers(*m_database, "SELECT DISTINCT worker FROM runs WHERE done = 0 AND worker IS NOT NULL");
  while (workers.step()) {
    const long worker = workers.integer(0, 0, kMostCount);
    if (worker != m_worker && lives(worker)) list += (list.empty() ? "" : ", ") + std::to_string(worker);
  }
  return list;
}

void StudyRuns::keep(const Done& done) {
  const StudyRun& run = done.run;
  Statement row(
      *m_database,
      "UPDATE runs SET done = 1, worker = NULL, pane = ?, dt_s = ?, seed = ?, frames = ?, crashed_at_s = ?, "
      "reason = ?, overlap_median = ?, overlap_quartile = ?, overlap_max = ?, depth_max_m = ?, unsolved = ?, "
      "trap_share = ?, solves_per_frame = ?, halved_frames = ?, step_time_ms = ? WHERE hash = ?");
  row.bind(run.pane).bind(run.dt).bind(static_cast<long>(run.seed)).bind(run.frames).bind(run.crashedAt);
  row.bind(run.reason)
      .bind(run.overlapMedian)
      .bind(run.overlapQuartile)
      .bind(run.overlapMax)
      .bind(run.depthMax);
  row.bind(run.unsolved).bind(run.trapShare).bind(run.solves).bind(run.bisected).bind(run.milliseconds);
  row.bind(m_tasks[done.task].hash).finish();
}

std::optional<std::size_t> StudyRuns::next(const std::optional<Done>& done) {
  const std::lock_guard<std::mutex> lock(m_mutex);
  Transaction transaction(*m_database);
  if (done) keep(*done);
  std::optional<std::size_t> task;
  {
    // A program's own claims belong to its other threads.
    const std::string living = livingOthers();
    Statement free(*m_database,
                   "SELECT number FROM wanted JOIN runs USING (hash) WHERE done = 0 AND (worker IS NULL OR "
                   "worker NOT IN (" +
                       std::to_string(m_worker) + (living.empty() ? "" : ", " + living) +
                       ")) ORDER BY number LIMIT 1");
    if (free.step())
      task = static_cast<std::size_t>(free.integer(0, 0, static_cast<long>(m_tasks.size()) - 1));
  }
  if (task)
    Statement(*m_database, "UPDATE runs SET worker = ? WHERE hash = ?")
        .bind(m_worker)
        .bind(m_tasks[*task].hash)
        .finish();
  transaction.commit();
  return task;
}

void StudyRuns::giveBack(std::size_t task) {
  const std::lock_guard<std::mutex> lock(m_mutex);
  Statement(*m_database, "UPDATE runs SET worker = NULL WHERE hash = ?").bind(m_tasks[task].hash).finish();
}

StudyRuns::Progress StudyRuns::progress() {
  const std::lock_guard<std::mutex> lock(m_mutex);
  const auto number = [this](const std::string& sql) {
    Statement statement(*m_database, sql);
    statement.step();
    return static_cast<std::size_t>(statement.integer(0, 0, kMostCount));
  };
  Progress progress;
  progress.done = number("SELECT count(*) FROM wanted JOIN runs USING (hash) WHERE done = 1");
  progress.left =
      number("SELECT count(*) FROM runs WHERE done = 1 AND hash NOT IN (SELECT hash FROM wanted)");
  const std::string living = livingOthers();
  if (living.empty()) return progress;
  const std::string theirs = "done = 0 AND worker IN (" + living + ")";
  progress.ofOthers = number("SELECT count(*) FROM wanted JOIN runs USING (hash) WHERE " + theirs);
  Statement other(*m_database, "SELECT process FROM workers WHERE id IN (" + living + ") LIMIT 1");
  if (other.step()) progress.other = other.bytes(0, kLongestText);
  return progress;
}

std::vector<StudyRun> StudyRuns::runs() {
  const std::lock_guard<std::mutex> lock(m_mutex);
  std::vector<StudyRun> runs;
  Statement rows(*m_database, std::string("SELECT number, ") + kRunColumns +
                                  " FROM wanted JOIN runs USING (hash) WHERE done = 1 ORDER BY number");
  while (rows.step()) {
    const auto task = static_cast<std::size_t>(rows.integer(0, 0, static_cast<long>(m_tasks.size()) - 1));
    runs.push_back(runOf(rows));
    runs.back().pane = m_tasks[task].pane->label;
  }
  return runs;
}

}  // namespace touchstone
