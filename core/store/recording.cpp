#include "core/store/recording.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>

#include "core/files/file_bytes.h"
#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/files/scene_error.h"
#include "core/record/record_bytes.h"
#include "core/record/record_check.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/run/settings_json.h"
#include "core/scene/frame_count.h"
#include "core/scene/variation.h"
#include "core/store/command_check.h"
#include "core/store/database.h"

namespace touchstone {

namespace fs = std::filesystem;

namespace {

using Fault = DatabaseError::Fault;

/// A larger value lets a damaged file use more memory and time; a smaller one refuses scenes with many
/// meshes.
constexpr std::size_t kMostFiles = 10'000;
// Of a path, a name, a command. A larger value lets a damaged file take more memory; a smaller one refuses
// long commands.
constexpr std::size_t kMostTextBytes = std::size_t(1) << 20;

/// A folder that is removed at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device random;
    std::error_code error;
    const fs::path temporary = fs::temp_directory_path(error);
    do {
      m_path = temporary / ("touchstone-" + std::to_string(random()));
    } while (!error && !fs::create_directory(m_path, error) && !error);
    if (error) cannotWrite();
  }
  ~TemporaryFolder() {
    try {
      std::error_code ignored;
      fs::remove_all(m_path, ignored);
    } catch (const std::bad_alloc&) {
      // With too little memory even that throws. The system clears the folder for temporary files.
    }
  }
  const fs::path& path() const { return m_path; }
  [[noreturn]] void cannotWrite() const {
    const char* variable = std::getenv("TMPDIR");
    const std::string folder = variable ? variable : m_path.parent_path().string();
    throw DatabaseError(Fault::Environment,
                        folder +
                            ": cannot be written; free some space there, or let TMPDIR name "
                            "another folder for temporary files");
  }

 private:
  fs::path m_path;
};

/// Number of levels that a relative path leads up; −1 for an invalid path.
int stepsUp(const fs::path& path) {
  // Larger values let a damaged file create deep folders; smaller ones refuse scenes in deep folders.
  constexpr int kMostSteps = 32;
  constexpr std::size_t kLongest = 1000;
  int up = 0, steps = 0;
  for (const fs::path& part : path.lexically_normal()) {
    up += part == "..";
    ++steps;
  }
  const bool fits = path.is_relative() && path.has_filename() && path.native().size() <= kLongest &&
                    path.native().find('\0') == std::string::npos && steps <= kMostSteps;
  return fits ? up : -1;
}

StepStatus statusOf(const std::string& text) {
  for (StepStatus status : {StepStatus::Ok, StepStatus::Energy, StepStatus::NotConverged,
                            StepStatus::NoSolution, StepStatus::Diverged, StepStatus::Stopped})
    if (text == toString(status)) return status;
  throw std::runtime_error("'" + text + "' is no status of a step");
}

unsigned long long hashOfText(const std::string& text) {
  unsigned long long hash = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("'" + text.substr(0, 40) + "' is no hash of a state");
  return hash;
}

}  // namespace

bool WholeFrom::holds(long frame, int paneId) const {
  const auto pane = panes.find(paneId);
  return frame >= all || (pane != panes.end() && frame >= pane->second);
}

std::string toText(const WholeFrom& whole) {
  nlohmann::ordered_json json{{"all", whole.all}, {"panes", nlohmann::ordered_json::array()}};
  for (const auto& [id, frame] : whole.panes) json["panes"].push_back({{"id", id}, {"frame", frame}});
  return json.dump();
}

bool isRecording(const std::string& path) { return isDatabaseFile(path); }

Recording::Recording(const std::string& path, const ReadingProgress& progress)
    : m_path(path), m_database(std::make_unique<Database>(path, Database::Open::Foreign, progress)) {
  std::vector<std::string> quantities;
  for (const bool isPlanar : {false, true})
    for (const QuantityInfo& info : quantityTable(isPlanar)) quantities.push_back(info.column);
  m_database->requireColumns(
      {{"meta", {"key", "value"}},
       {"files", {"path", "content"}},
       {"panes", {"id", "position", "label"}},
       {"commands", {"number", "frame", "command"}},
       {"frames", {"frame", "pane", "time_s", "method", "status", "state_hash", "bodies", "detail"}}},
      quantities);
  if (meta("format") != kRecordingFormat)
    throw DatabaseError(Fault::Input,
                        path + ": is no Touchstone recording that this version reads; record it again");
  requireKnownMeta();
  readScene();
  readRows();
  readCommands();
  readWholeFrom();
}

Recording::~Recording() = default;

void Recording::fail(const std::string& problem) const { m_database->failAsDamaged(problem); }

void Recording::requireKnownMeta() const {
  const std::string known = std::string("'format', 'scene', 'manifest', 'start', 'now', '") + kMovedStart +
                            "', '" + kWholeFrom + "'";
  Statement others(*m_database, "SELECT key FROM main.meta WHERE key NOT IN (" + known + ") LIMIT 1");
  if (others.step())
    fail("'" + printable(others.bytes(0, kMostTextBytes)) + "' in its table meta is not known");
}

std::string Recording::madeBy() const {
  const auto manifest = nlohmann::json::parse(meta("manifest"), nullptr, false);
  if (!manifest.is_object()) return {};
  const auto text = [&manifest](const char* key) {
    const auto found = manifest.find(key);
    return found != manifest.end() && found->is_string() ? printable(found->get<std::string>())
                                                         : std::string();
  };
  if (text("version").empty()) return {};
  return text("version") + " (" + text("commit") + ")";
}

std::string Recording::meta(const std::string& key) const {
  Statement statement(*m_database, "SELECT value FROM main.meta WHERE key = ?");
  return statement.bind(key).step() ? statement.bytes(0, kMostTextBytes) : std::string();
}

// The loader reads files, and refuses files outside the scene's folder or a folder "datasets" above it.
void Recording::readScene() {
  const TemporaryFolder temporary;
  try {
    loadFiles(temporary.path() / "datasets");
  } catch (const SceneError& error) {
    std::string problem = error.what();
    const std::string folder = temporary.path().string();
    const std::size_t position = problem.find(folder);
    if (position != std::string::npos) problem.erase(position, folder.size() + 1);
    fail(problem);
  } catch (const fs::filesystem_error&) {
    temporary.cannotWrite();
  } catch (const std::ios_base::failure&) {
    temporary.cannotWrite();
  }
}

/// @throws SceneError, std::filesystem::filesystem_error and std::ios_base::failure
void Recording::loadFiles(const std::string& below) {
  std::map<fs::path, std::string> files;
  int up = 0;
  std::size_t bytes = 0;
  Statement statement(*m_database, "SELECT path, content FROM main.files");
  while (statement.step()) {
    const fs::path path = statement.bytes(0, kMostTextBytes);
    const int steps = stepsUp(path);
    if (steps < 0) fail("a file has a path that no scene has");
    up = std::max(up, steps);
    std::string content = statement.bytes(1, kMostFileBytes);
    bytes += content.size();
    if (bytes > Database::kMostValueBytes || files.size() >= kMostFiles)
      fail("its files are too many or too large");
    if (!files.emplace(path.lexically_normal(), std::move(content)).second) fail("a file is there twice");
  }
  fs::path folder = below;
  for (int level = 0; level < up; ++level) folder /= "d";
  for (const auto& [path, content] : files) {
    for (fs::path parent = path.parent_path(); !parent.empty(); parent = parent.parent_path())
      if (files.count(parent)) fail("a file lies in another one");
    const fs::path place = (folder / path).lexically_normal();
    fs::create_directories(place.parent_path());
    std::ofstream out;
    out.exceptions(std::ios::failbit | std::ios::badbit);
    out.open(place, std::ios::binary);
    out << content << std::flush;
  }
  const std::string original = meta("scene");
  const fs::path name = fs::path(original).filename();
  if (!files.count(name)) fail("its scene is not among its files");
  std::shared_ptr<const Scene> loaded = loadScene((folder / name).string());
  if (const std::string moved = meta(kMovedStart); !moved.empty()) {
    const nlohmann::json json = parseJson(moved, kMovedStart);
    const SeededStart start = startOf(JsonView(json, kMovedStart, "record it again"));
    loaded = varied(*loaded, start.variation, start.seed);
  }
  auto scene = std::make_shared<Scene>(*loaded);
  scene->file = original;
  checkSuggestions(*scene);
  m_check = std::make_unique<RecordCheck>(scene);
  m_scene = std::move(scene);
}

void Recording::readCommands() {
  std::vector<std::pair<long, std::string>> texts;
  Statement statement(*m_database, "SELECT frame, command FROM main.commands ORDER BY number");
  while (statement.step())
    texts.emplace_back(statement.integer(0, 0, kMostFrames), statement.bytes(1, kMostTextBytes));
  try {
    const auto allOf = [&](const char* key) {
      const Command command = commandOf(meta(key), m_path + ":" + key);
      if (const auto* configuration = std::get_if<command::SetAll>(&command)) return *configuration;
      throw SceneError(m_path, key, "is another command", "record it again");
    };
    m_start = allOf("start");
    m_now = allOf("now");
    for (const auto& [frame, text] : texts)
      m_log.push_back({frame, commandOf(text, m_path + ":command " + std::to_string(m_log.size()))});
  } catch (const SceneError& error) {
    throw DatabaseError(Fault::Input, error.what());
  }
  const std::string problem = problemOf(*m_scene, m_start, m_log, m_now, lastFrame());
  if (!problem.empty()) fail(problem);
  std::vector<int> ids;
  Statement panes(*m_database, "SELECT id FROM main.panes WHERE position IS NOT NULL ORDER BY position");
  while (panes.step()) ids.push_back(static_cast<int>(panes.integer(0, 0, std::numeric_limits<int>::max())));
  if (ids != m_now.ids) fail("its panes are not those at its end");
}

void Recording::readRows() {
  constexpr int kMostIds = std::numeric_limits<int>::max();
  Statement rows(*m_database, "SELECT frame, pane FROM main.frames ORDER BY frame, pane");
  while (rows.step())
    m_rows.push_back(
        {static_cast<int>(rows.integer(0, 0, kMostFrames)), static_cast<int>(rows.integer(1, 0, kMostIds))});
  if (m_rows.empty()) throw DatabaseError(Fault::Input, m_path + ": holds no frames; record it again");
  for (std::size_t row = 1; row < m_rows.size(); ++row)
    if (!(m_rows[row - 1] < m_rows[row]))
      fail("frame " + std::to_string(m_rows[row].frame) + " is there twice");
  const std::vector<std::string> columns = m_database->columnsOf("frames");
  m_select = "SELECT frame, time_s, method, status, state_hash, ";
  for (const QuantityInfo& info : quantityTable(m_scene->planar))
    m_select += (std::count(columns.begin(), columns.end(), info.column) ? info.column : "NULL") + ", ";
  m_select += "bodies, detail FROM main.frames WHERE frame = ? AND pane = ?";
}

// Version 0.1.0 did not record it. The data of panes present at the end then counts as complete from their
// first row on.
void Recording::readWholeFrom() {
  const std::string text = meta(kWholeFrom);
  if (text.empty()) {
    m_wholeFrom.all = lastFrame();
    for (const RecordedRow& row : m_rows)
      if (std::count(m_now.ids.begin(), m_now.ids.end(), row.pane))
        m_wholeFrom.panes.emplace(row.pane, row.frame);
    return;
  }
  try {
    const std::string place = m_path + ":" + kWholeFrom;
    const nlohmann::json json = parseJson(text, place);
    const JsonView root(json, place, "record it again");
    root.allowOnly({"all", "panes"});
    m_wholeFrom.all = root.at("all").count(0, kMostFrames);
    for (const JsonView& pane : root.at("panes").items(kMostRecordedPanes)) {
      pane.allowOnly({"id", "frame"});
      m_wholeFrom.panes[pane.at("id").integer(0, std::numeric_limits<int>::max())] =
          pane.at("frame").count(0, kMostFrames);
    }
  } catch (const SceneError& error) {
    throw DatabaseError(Fault::Input, error.what());
  }
}

// Labels come from the settings. The labels in the file are for users of other tools.
std::vector<RecordedPane> Recording::panes() const {
  std::vector<RecordedPane> panes;
  const std::vector<std::string> labels = paneLabels(*m_scene, m_now.panes);
  for (std::size_t pane = 0; pane < m_now.ids.size(); ++pane)
    panes.push_back({m_now.ids[pane], labels[pane]});
  return panes;
}

void Recording::readRecord(Statement& row, StepRecord& record) const {
  // Longest name of a method or status. A larger value lets a damaged file take more memory; a
  // smaller one refuses long names.
  constexpr std::size_t kLongestName = 100;
  int column = 0;
  record.frame = row.integer(column++, 0, kMostFrames);
  record.time = row.real(column++);
  record.method = row.bytes(column++, kLongestName);
  if (!findMethod(record.method)) throw std::runtime_error("'" + record.method + "' is no method");
  record.status = statusOf(row.bytes(column++, kLongestName));
  record.stateHash = hashOfText(row.bytes(column++, kLongestName));
  record.planar = m_scene->planar;
  for (double& value : record.quantities.values) value = row.real(column++);
  record.bodies = bodiesOf(row.bytes(column++, m_scene->bodies.size() * kBodyNumbers * sizeof(double)));
  readDetail(row.bytes(column, Database::kMostValueBytes), record);
  if (isFrozen(record.status))
    record.contacts.erase(std::remove_if(record.contacts.begin(), record.contacts.end(),
                                         [](const Contact& contact) { return !isFinite(contact); }),
                          record.contacts.end());
  const std::string problem = m_check->problemOf(record);
  if (!problem.empty()) throw std::runtime_error(problem);
}

RecordPtr Recording::record(long frame, int paneId) const {
  Statement row(*m_database, m_select);
  if (!row.bind(frame).bind(static_cast<long>(paneId)).step()) return nullptr;
  auto record = std::make_shared<StepRecord>();
  try {
    readRecord(row, *record);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail("frame " + std::to_string(frame) + ": " + error.what());
  }
  return record;
}

std::unique_ptr<Comparison> Recording::resume(const std::shared_ptr<Recording>& recording,
                                              const ReadingProgress& progress) {
  std::vector<History> histories;
  long done = 0;
  const long total = static_cast<long>(recording->m_rows.size());
  for (int id : recording->m_now.ids) {
    histories.emplace_back();
    for (const RecordedRow& row : recording->m_rows) {
      if (row.pane != id) continue;
      if (progress && !progress(done++, total)) throw ReadingCancelled();
      histories.back().append(recording->record(row.frame, id));
    }
  }
  std::unique_ptr<Comparison> comparison = Comparison::resumed(
      recording->m_scene, recording->m_start, recording->m_log, recording->m_now, std::move(histories));
  comparison->setArchive([recording](long frame, int id) { return recording->record(frame, id); });
  return comparison;
}

}  // namespace touchstone
