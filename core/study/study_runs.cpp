#include "core/study/study_runs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/files/file_bytes.h"
#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/files/written_file.h"
#include "core/math/not_a_number.h"
#include "core/scene/frame_count.h"
#include "core/store/database.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

constexpr char kFormat[] = "Touchstone study 2";
// Longest text of meta data. A larger value lets a damaged file take more memory; a smaller one refuses long
// names.
constexpr std::size_t kLongestText = 10'000;
// Longest result. A larger value lets a damaged file take more memory; a smaller one refuses long series.
constexpr std::size_t kLongestResult = 64'000'000;
constexpr char kRemoveRuns[] = "remove the file, and run the study again";
constexpr long kMostCount = std::numeric_limits<long>::max();

Json arrayOf(const std::vector<double>& values) {
  Json array = Json::array();
  for (double value : values) array.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
  return array;
}

/// Numbers, of which null is none.
std::vector<double> numbersOf(const JsonView& array) {
  std::vector<double> values;
  for (const JsonView& value : array.items(kLongestResult))
    values.push_back(value.json().is_null() ? kNaN : value.number());
  return values;
}

std::string textOf(const StudyRun& run) {
  Json json{{"frames", run.frames},
            {"failed_at", run.failedAt},
            {"reason", run.reason},
            {"unsolved", run.unsolved},
            {"solves", run.solves},
            {"halved", run.bisected},
            {"ms", std::isfinite(run.milliseconds) ? Json(run.milliseconds) : Json(nullptr)}};
  json["values"] = arrayOf(run.values);
  json["series"] = Json::array();
  for (const StudyRun::Series& series : run.series)
    json["series"].push_back({arrayOf(series.x), arrayOf(series.y)});
  return json.dump();
}

/// @param file  in which the text is   @throws SceneError for a text that this program did not write
StudyRun runOf(const std::string& text, const std::string& file) {
  // Most series. More let a damaged file take more memory; fewer refuse rich studies.
  constexpr std::size_t kMostSeries = 10'000;
  const nlohmann::json json = parseJson(text, file);
  const JsonView root(json, file, kRemoveRuns);
  root.allowOnly({"frames", "failed_at", "reason", "unsolved", "solves", "halved", "ms", "values", "series"});
  StudyRun run;
  run.frames = root.at("frames").count(0, kMostFrames);
  run.failedAt = root.at("failed_at").number();
  if (run.failedAt != -1 && !(run.failedAt >= 0))
    root.at("failed_at").fail("must be a time, or -1 for none", kRemoveRuns);
  run.reason = root.at("reason").text();
  run.unsolved = root.at("unsolved").count(0, kMostCount);
  run.solves = root.at("solves").nonNegative();
  run.bisected = root.at("halved").count(0, kMostFrames);
  run.milliseconds = root.at("ms").json().is_null() ? kNaN : root.at("ms").nonNegative();
  run.values = numbersOf(root.at("values"));
  for (const JsonView& series : root.at("series").items(kMostSeries)) {
    const std::vector<JsonView> columns = series.items(2);
    if (columns.size() != 2) series.fail("must be two lists", kRemoveRuns);
    run.series.push_back({numbersOf(columns[0]), numbersOf(columns[1])});
  }
  return run;
}

/// Refuses a result that is longer than its task.   @throws SceneError
void requireWithin(const StudyRun& run, const StudyTask& task, const std::string& file) {
  if (!task.scene) return;
  const long frames = frameCount(task.time, task.dt);
  if (run.frames > frames)
    throw SceneError(
        file, "frames",
        "is " + std::to_string(run.frames) + " of a run of " + std::to_string(frames) + " frames",
        kRemoveRuns);
  if (run.failedAt > task.time + task.dt)
    throw SceneError(file, "failed_at", "is after the end of the run", kRemoveRuns);
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
            "CREATE TABLE runs (hash TEXT PRIMARY KEY, worker INTEGER, done INTEGER NOT NULL, result TEXT); "
            "COMMIT");
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

namespace {

/// Opens a file of runs to read it.
std::unique_ptr<Database> openedRuns(const std::string& path) {
  auto file = std::make_unique<Database>(path, Database::Open::Foreign);
  file->requireColumns({{"meta", {"key", "value"}},
                        {"workers", {"id", "process"}},
                        {"runs", {"hash", "worker", "done", "result"}}});
  Statement format(*file, "SELECT value FROM main.meta WHERE key = 'format'");
  if (!format.step() || format.bytes(0, kLongestText) != kFormat)
    throw DatabaseError(DatabaseError::Fault::Input,
                        path + ": holds no study that this version reads; choose another folder");
  Statement odd(*file,
                "SELECT count(*) FROM main.runs WHERE typeof(done) <> 'integer' OR done NOT IN (0, 1) OR "
                "(done = 1 AND typeof(result) <> 'text')");
  if (!odd.step() || odd.integer(0, 0, kMostCount) > 0)
    file->failAsDamaged("a run is neither open nor done with a result");
  return file;
}

}  // namespace

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
  openedRuns(path);
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
  if (fcntl(m_signs, F_OFD_SETLK, &sign) != 0)
    throw DatabaseError(DatabaseError::Fault::Environment,
                        m_database->path() +
                            ": this file system has no locks, so that programs cannot share a study; choose "
                            "another folder, or give each program a part of it with --shard");
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
  const std::string text = textOf(done.run);
  if (text.size() > kLongestResult)
    throw DatabaseError(DatabaseError::Fault::Input,
                        m_database->path() +
                            ": the result of a run is longer than 64 MB; give a series fewer "
                            "rows, with \" where frame % 10 = 0\" for example");
  Statement(*m_database, "UPDATE runs SET done = 1, worker = NULL, result = ? WHERE hash = ?")
      .bind(text)
      .bind(m_tasks[done.task].hash)
      .finish();
}

std::optional<std::size_t> StudyRuns::next(const std::optional<Done>& done) {
  const std::lock_guard<std::mutex> lock(m_mutex);
  Transaction transaction(*m_database);
  if (done) keep(*done);
  std::optional<std::size_t> task;
  {
    Statement open(*m_database,
                   "SELECT number FROM wanted JOIN runs USING (hash) WHERE done = 0 AND number >= ? ORDER BY "
                   "number LIMIT 1");
    open.bind(m_firstOpen);
    const long count = static_cast<long>(m_tasks.size());
    m_firstOpen = open.step() ? open.integer(0, 0, count - 1) : count;
  }
  {
    // A program's own claims belong to its other threads.
    const std::string living = livingOthers();
    Statement free(*m_database,
                   "SELECT number FROM wanted JOIN runs USING (hash) WHERE done = 0 AND number >= ? AND "
                   "(worker IS NULL OR worker NOT IN (" +
                       std::to_string(m_worker) + (living.empty() ? "" : ", " + living) +
                       ")) ORDER BY number LIMIT 1");
    free.bind(m_firstOpen);
    if (free.step()) task = free.integer(0, 0, static_cast<long>(m_tasks.size()) - 1);
  }
  if (task)
    Statement(*m_database, "UPDATE runs SET worker = ? WHERE hash = ?")
        .bind(m_worker)
        .bind(m_tasks[*task].hash)
        .finish();
  transaction.commit();
  return task;
}

void StudyRuns::store(const Done& done) {
  const std::lock_guard<std::mutex> lock(m_mutex);
  keep(done);
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
    return statement.integer(0, 0, kMostCount);
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

std::vector<std::optional<StudyRun>> StudyRuns::runs() {
  const std::lock_guard<std::mutex> lock(m_mutex);
  std::vector<std::optional<StudyRun>> runs(m_tasks.size());
  Statement rows(*m_database,
                 "SELECT number, result FROM wanted JOIN runs USING (hash) WHERE done = 1 ORDER BY number");
  while (rows.step()) {
    const std::size_t task = rows.integer(0, 0, static_cast<long>(m_tasks.size()) - 1);
    runs[task] = runOf(rows.bytes(1, kLongestResult), m_database->path());
    requireWithin(*runs[task], m_tasks[task], m_database->path());
  }
  return runs;
}

std::size_t StudyRuns::takeOver(const std::string& path) {
  const std::unique_ptr<Database> other = openedRuns(path);
  const std::lock_guard<std::mutex> lock(m_mutex);
  Transaction transaction(*m_database);
  Statement rows(*other, "SELECT hash, result FROM main.runs WHERE done = 1");
  Statement add(*m_database,
                "UPDATE runs SET done = 1, worker = NULL, result = ? WHERE hash = ? AND done = 0");
  const auto doneRuns = [this] {
    Statement count(*m_database, "SELECT count(*) FROM runs WHERE done = 1");
    count.step();
    return count.integer(0, 0, kMostCount);
  };
  const std::size_t before = doneRuns();
  while (rows.step()) {
    const std::string hash = rows.bytes(0, kLongestText), result = rows.bytes(1, kLongestResult);
    runOf(result, path);
    add.bind(result).bind(hash).finish();
  }
  const std::size_t after = doneRuns();
  transaction.commit();
  return after - before;
}

}  // namespace touchstone
