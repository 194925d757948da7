#include "core/run/recording.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/record/record_bytes.h"
#include "core/run/database.h"
#include "core/run/pane_name.h"

namespace touchstone {

namespace fs = std::filesystem;

namespace {

/// A folder that is gone at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device random;
    do {
      m_path = fs::temp_directory_path() / ("touchstone-" + std::to_string(random()));
    } while (!fs::create_directory(m_path));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
  }
  const fs::path& path() const { return m_path; }

 private:
  fs::path m_path;
};

int stepsUp(const fs::path& path) {
  int steps = 0;
  for (const fs::path& part : path.lexically_normal()) steps += part == "..";
  return steps;
}

StepStatus statusOf(const std::string& text) {
  for (StepStatus status : {StepStatus::Ok, StepStatus::Energy, StepStatus::NotConverged, StepStatus::NoSolution,
                            StepStatus::Diverged, StepStatus::Stopped})
    if (text == toString(status)) return status;
  throw std::runtime_error("'" + text + "' is no status of a step");
}

}  // namespace

bool isRecording(const std::string& path) {
  constexpr char kMagic[] = "SQLite format 3";
  char bytes[sizeof kMagic] = {};
  std::ifstream in(path, std::ios::binary);
  in.read(bytes, sizeof bytes);
  return in && std::memcmp(bytes, kMagic, sizeof kMagic) == 0;
}

void removeRecording(const std::string& path) {
  std::error_code ignored;
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) fs::remove(path + ending, ignored);
}

Recording::Recording(const std::string& path)
    : m_path(path), m_database(std::make_unique<Database>(path, Database::Open::Existing)) {
  if (meta("format") != kRecordingFormat)
    throw DatabaseError(path + ": is no Touchstone recording that this version reads; record it anew");
  try {
    readScene();
    readCommands();
  } catch (const std::invalid_argument& error) {
    throw DatabaseError(path + ": is damaged (" + error.what() + "); record it anew");
  }
  readRange();
}

Recording::~Recording() = default;

std::string Recording::meta(const std::string& key) const {
  Statement statement(*m_database, "SELECT value FROM meta WHERE key = ?");
  return statement.bind(key).step() ? statement.text(0) : std::string();
}

// The loader reads files, and refuses those outside the scene's folder or a folder "datasets" above it.
void Recording::readScene() {
  struct File {
    fs::path path;
    std::string content;
  };
  std::vector<File> files;
  int up = 0;
  Statement statement(*m_database, "SELECT path, content FROM files");
  while (statement.step()) {
    files.push_back({fs::path(statement.text(0)), statement.bytes(1)});
    if (files.back().path.is_absolute())
      throw DatabaseError(m_path + ": is damaged (a file has an absolute path); record it anew");
    up = std::max(up, stepsUp(files.back().path));
  }
  const TemporaryFolder temporary;
  fs::path folder = temporary.path() / "datasets";
  for (int level = 0; level < up; ++level) folder /= "d";
  for (const File& file : files) {
    const fs::path place = (folder / file.path).lexically_normal();
    fs::create_directories(place.parent_path());
    std::ofstream(place, std::ios::binary) << file.content;
  }
  const std::string original = meta("scene");
  const std::string name = fs::path(original).filename().string();
  auto scene = std::make_shared<Scene>(*loadScene((folder / name).string()));
  scene->file = original;
  m_scene = std::move(scene);
}

void Recording::readCommands() {
  m_start = std::get<command::SetAll>(commandOf(meta("start")));
  m_now = std::get<command::SetAll>(commandOf(meta("now")));
  Statement statement(*m_database, "SELECT frame, command FROM commands ORDER BY number");
  while (statement.step()) m_log.push_back({statement.integer(0), commandOf(statement.text(1))});
}

void Recording::readRange() {
  Statement range(*m_database, "SELECT min(frame), max(frame) FROM frames");
  if (!range.step() || std::isnan(range.real(0)))
    throw DatabaseError(m_path + ": holds no frame; record it anew");
  m_first = range.integer(0);
  m_last = range.integer(1);
}

std::vector<RecordedPane> Recording::panes() const {
  std::vector<RecordedPane> panes;
  Statement statement(*m_database,
                      "SELECT id, label FROM panes WHERE position IS NOT NULL ORDER BY position");
  while (statement.step()) panes.push_back({static_cast<int>(statement.integer(0)), statement.text(1)});
  return panes;
}

std::vector<int> Recording::panesAt(long frame) const {
  std::vector<int> ids;
  Statement statement(*m_database, "SELECT pane FROM frames WHERE frame = ? ORDER BY pane");
  statement.bind(frame);
  while (statement.step()) ids.push_back(static_cast<int>(statement.integer(0)));
  return ids;
}

RecordPtr Recording::record(long frame, int paneId) const {
  Statement row(*m_database, "SELECT * FROM frames WHERE frame = ? AND pane = ?");
  if (!row.bind(frame).bind(static_cast<long>(paneId)).step()) return nullptr;
  auto record = std::make_shared<StepRecord>();
  try {
    int column = 0;
    record->frame = row.integer(column++);
    ++column;
    record->time = row.real(column++);
    record->method = row.text(column++);
    record->status = statusOf(row.text(column++));
    record->stateHash = std::stoull(row.text(column++), nullptr, 16);
    record->planar = m_scene->planar;
    for (double& value : record->quantities.values) value = row.real(column++);
    record->bodies = bodiesOf(row.bytes(column++));
    readDetail(row.bytes(column), *record);
    if (record->bodies.size() != m_scene->bodies.size()) throw std::runtime_error("it has not all bodies");
  } catch (const std::exception& error) {
    throw DatabaseError(m_path + ": frame " + std::to_string(frame) + " is damaged (" + error.what() +
                        "); record it anew");
  }
  return record;
}

std::unique_ptr<Comparison> Recording::resume(const std::shared_ptr<Recording>& recording) {
  std::vector<History> histories;
  for (int id : recording->m_now.ids) {
    histories.emplace_back();
    for (long frame = recording->m_first; frame <= recording->m_last; ++frame)
      if (const RecordPtr record = recording->record(frame, id)) histories.back().append(record);
  }
  std::unique_ptr<Comparison> comparison = Comparison::resumed(
      recording->m_scene, recording->m_start, recording->m_log, recording->m_now, std::move(histories));
  comparison->setArchive([recording](long frame, int id) { return recording->record(frame, id); });
  return comparison;
}

namespace {

/// The first array of a body that differs, or none.
std::optional<ReplayDifference> difference(const StepRecord& now, const StepRecord& then,
                                           const Scene& scene) {
  for (std::size_t body = 0; body < then.bodies.size(); ++body) {
    const BodyState &a = now.bodies[body], &b = then.bodies[body];
    const std::pair<const char*, double> arrays[] = {
        {"position", (a.position - b.position).cwiseAbs().maxCoeff()},
        {"orientation", (a.orientation.coeffs() - b.orientation.coeffs()).cwiseAbs().maxCoeff()},
        {"linear velocity", (a.linearVelocity - b.linearVelocity).cwiseAbs().maxCoeff()},
        {"angular velocity", (a.angularVelocity - b.angularVelocity).cwiseAbs().maxCoeff()}};
    for (const auto& [name, largest] : arrays)
      if (!(largest == 0))
        return ReplayDifference{then.frame, "",
                                std::string(name) + " of body '" + scene.bodies[body].name + "'", largest};
  }
  if (now.stateHash != then.stateHash) return ReplayDifference{then.frame, "", "state hash", 0};
  return std::nullopt;
}

}  // namespace

ReplayResult replay(const Recording& recording, const std::function<void(double)>& progress) {
  Comparison comparison(recording.scene(), {});
  comparison.setAll(recording.start());
  ReplayResult result;
  auto command = recording.log().begin();
  for (long frame = 0; frame <= recording.lastFrame(); ++frame) {
    if (frame > 0) comparison.step(false);
    for (; command != recording.log().end() && command->frame == frame; ++command)
      comparison.apply(command->command);
    for (int pane = 0; pane < comparison.paneCount(); ++pane) {
      const RecordPtr then = recording.record(frame, comparison.paneId(pane));
      if (!then) continue;  // it began later, or the oldest frames were no longer kept
      ++result.frames;
      result.first = difference(*comparison.pane(pane).current(), *then, *recording.scene());
      if (!result.first) continue;
      const PaneSettings& settings = comparison.pane(pane).settings();
      result.first->pane = paneName(settings);
      return result;
    }
    if (progress) progress(static_cast<double>(frame + 1) / static_cast<double>(recording.lastFrame() + 1));
  }
  return result;
}

}  // namespace touchstone
