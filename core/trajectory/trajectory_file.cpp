#include "core/trajectory/trajectory_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/files/sha256.h"
#include "core/files/text_forms.h"
#include "core/math/count.h"
#include "core/trajectory/derived.h"
#include "core/trajectory/interpolation.h"
#include "core/world/world.h"

namespace touchstone {

namespace {

constexpr char kNeeded[] = "write time,body,x,y,z,qw,qx,qy,qz and optionally vx,vy,vz and wx,wy,wz";

bool isKeyCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.';
}

/// A key made of any text: runs of other characters become one -.
std::string keyOf(const std::string& text) {
  std::string key;
  for (const char c : text)
    if (isKeyCharacter(c))
      key += c;
    else if (!key.empty() && key.back() != '-')
      key += '-';
  key = key.substr(0, 100);
  while (!key.empty() && key.back() == '-') key.pop_back();
  return key;
}

BodyState startOf(const Body& body, bool active) {
  BodyState state;
  state.position = body.position;
  state.orientation = body.orientation;
  state.active = active;
  return state;
}

std::shared_ptr<const Scene> withoutDeformables(std::shared_ptr<const Scene> scene) {
  for (const Body& body : scene->bodies)
    if (body.deformable)
      throw SceneError(scene->file, "bodies", "'" + body.name + "' deforms",
                       "trajectories are of rigid bodies; choose a scene without bodies that deform");
  return scene;
}

}  // namespace

bool isTrajectoryKey(const std::string& key) {
  return !key.empty() && key.size() <= 100 && std::all_of(key.begin(), key.end(), isKeyCharacter);
}

TrajectoryReader::TrajectoryReader(std::shared_ptr<const Scene> scene, const std::string& path,
                                   const TrajectoryOptions& options)
    : m_scene(withoutDeformables(std::move(scene))),
      m_file(path, "give a trajectory file (CSV)"),
      m_key(options.key),
      m_names(options.names),
      m_missing(options.missing),
      m_presence(m_scene->bodies.size(), Presence::NotYet),
      m_isHere(m_scene->bodies.size(), 0) {
  for (const auto& [theirs, ours] : m_names) m_unusedNames.insert(theirs);
  m_header = readTrajectoryHeader(m_file, "touchstone_trajectory");
  findColumns();
  if (m_key.empty()) m_key = keyOf(m_header.engine);
  if (m_key.empty()) m_key = keyOf(std::filesystem::path(path).stem().string());
  if (m_key.empty()) m_key = "trajectory";
  for (std::size_t body = 0; body < m_scene->bodies.size(); ++body)
    m_bodies.emplace(m_scene->bodies[body].name, static_cast<int>(body));
  if (!options.contacts.empty())
    m_contacts = std::make_unique<ContactsReader>(m_scene, options.contacts, m_names);
  m_hasRow = m_file.next();
  if (!m_hasRow)
    throw SceneError(path, std::to_string(m_file.line() + 1) + ":1", "has no rows",
                     "write a row for each body and time below the names of the columns");
}

void TrajectoryReader::findColumns() {
  using U = ColumnUnit;
  touchstone::findColumns(m_file, m_header,
                          {{"time", U::Time, &m_time},
                           {"body", U::Text, &m_body},
                           {"active", U::Text, &m_active},
                           {"x", U::Length, &m_x[0]},
                           {"y", U::Length, &m_x[1]},
                           {"z", U::Length, &m_x[2]},
                           {"qw", U::Plain, &m_q[0]},
                           {"qx", U::Plain, &m_q[1]},
                           {"qy", U::Plain, &m_q[2]},
                           {"qz", U::Plain, &m_q[3]},
                           {"vx", U::Speed, &m_v[0]},
                           {"vy", U::Speed, &m_v[1]},
                           {"vz", U::Speed, &m_v[2]},
                           {"wx", U::Spin, &m_w[0]},
                           {"wy", U::Spin, &m_w[1]},
                           {"wz", U::Spin, &m_w[2]}});
  const auto require = [&](const FileColumn& column, const std::string& name) {
    if (!column.isGiven()) throw m_file.error(1, "the column '" + name + "' is missing", kNeeded);
  };
  const char* axes[] = {"x", "y", "z"};
  require(m_time, "time");
  require(m_body, "body");
  for (int k = 0; k < 3; ++k) require(m_x[k], axes[k]);
  for (int k = 0; k < 4; ++k) require(m_q[k], std::string("q") + (k == 0 ? "w" : axes[k - 1]));
  const auto isSome = [](const FileColumn(&columns)[3]) {
    return columns[0].isGiven() || columns[1].isGiven() || columns[2].isGiven();
  };
  for (int k = 0; k < 3; ++k) {
    if (isSome(m_v)) require(m_v[k], std::string("v") + axes[k]);
    if (isSome(m_w)) require(m_w[k], std::string("w") + axes[k]);
  }
  m_columns = m_file.cells().size();
}

double TrajectoryReader::timeOfRow() const {
  if (m_file.isComment())
    throw m_file.error(1, "has a line that begins with # below the table", "move it to the top of the file");
  if (m_file.cells().size() != m_columns)
    throw m_file.error(1,
                       "has " + std::to_string(m_file.cells().size()) + " cells, there are " +
                           std::to_string(m_columns) + " columns",
                       "write one cell for each column; put names with commas into quotes");
  return m_file.number(m_file.cells()[m_time.place]);
}

Vec3 TrajectoryReader::vectorAt(const FileColumn (&columns)[3]) const {
  Vec3 v;
  for (int k = 0; k < 3; ++k) v[k] = columns[k].scale * m_file.number(m_file.cells()[columns[k].place]);
  return inWorld(m_header, v);
}

Quaternion TrajectoryReader::orientationOfRow() const {
  // A larger value takes what is no rotation; a smaller one refuses numbers of few digits.
  constexpr double kOffUnit = 1e-3;
  // Rounding stays as it is, so that what this program wrote is measured in the very same pose; more is
  // reported.
  constexpr double kRounding = 1e-12, kTold = 1e-6;
  double q[4];
  for (int k = 0; k < 4; ++k) q[k] = m_file.number(m_file.cells()[m_q[k].place]);
  const Vec3 vector = inWorld(m_header, Vec3(q[1], q[2], q[3]));
  Quaternion orientation(q[0], vector.x(), vector.y(), vector.z());
  const double norm = orientation.norm();
  if (!(std::abs(norm - 1) <= kOffUnit))
    throw m_file.error(m_file.cells()[m_q[0].place].column, "the quaternion has length " + fourDigits(norm),
                       "give a unit quaternion, its scalar part as qw");
  if (std::abs(norm - 1) > kRounding) orientation.coeffs() /= norm;
  if (std::abs(norm - 1) > kTold) ++m_normalised;
  return orientation;
}

BodyState TrajectoryReader::stateOfRow(int body) const {
  BodyState state;
  state.orientation = orientationOfRow();
  state.position = vectorAt(m_x);
  if (m_w[0].isGiven()) {
    state.angularVelocity = vectorAt(m_w);
    if (m_header.isOmegaOfBody) state.angularVelocity = state.orientation * state.angularVelocity;
  }
  if (m_v[0].isGiven()) state.linearVelocity = vectorAt(m_v);
  if (m_header.isOfOrigin) {
    const Vec3 arm = state.orientation * m_scene->bodies[body].centre;
    state.position += arm;
    state.linearVelocity += state.angularVelocity.cross(arm);
  }
  // Beyond it squares and products lose all digits; less refuses large scenes.
  constexpr double kFarthest = 1e9, kFastest = 1e12;
  if (!(state.position.cwiseAbs().maxCoeff() <= kFarthest))
    throw m_file.error(m_file.cells()[m_x[0].place].column, "a coordinate is beyond 1e9 m",
                       "end the trajectory before it diverges");
  if (!(state.linearVelocity.cwiseAbs().maxCoeff() <= kFastest) ||
      !(state.angularVelocity.cwiseAbs().maxCoeff() <= kFastest))
    throw m_file.error(1, "a velocity is beyond 1e12", "end the trajectory before it diverges");
  return state;
}

/// Static bodies stay where the scene has them.
void TrajectoryReader::requireStart(int index, const BodyState& state) const {
  constexpr double kSame = 1e-9;  // m, rad: more hides another scene; less refuses rounded numbers
  const Body& body = m_scene->bodies[index];
  const int column = m_file.cells()[m_x[0].place].column;
  const double off = (state.position - body.position).norm();
  if (off > kSame * std::max(1.0, body.position.norm()))
    throw m_file.error(
        column,
        "the static body '" + body.name + "' is " + fourDigits(off) + " m away from where the scene has it",
        "leave out static bodies, or give the scene of this file");
  if (rotationBetween(state.orientation, body.orientation).norm() > kSame)
    throw m_file.error(column, "the static body '" + body.name + "' is turned against the scene",
                       "leave out static bodies, or give the scene of this file");
}

int TrajectoryReader::bodyOf(const CsvReader::Cell& cell) {
  const int count = countOf(m_scene->bodies);
  if (m_names.empty())  // most files keep the order of the scene
    for (int k = 0; k < std::min(count, 2); ++k) {
      const int body = (m_expected + k) % count;
      if (m_scene->bodies[body].name == cell.text) return body;
    }
  std::string name(cell.text);
  const auto mapped = m_names.find(name);
  if (mapped != m_names.end()) {
    m_unusedNames.erase(mapped->first);
    name = mapped->second;
  }
  const auto found = m_bodies.find(name);
  if (found == m_bodies.end()) throw unknownBody(m_file, cell, *m_scene);
  return found->second;
}

void TrajectoryReader::readRow(TrajectorySample& sample) {
  // A larger value reads for hours what may be a wrong file; a smaller one refuses long runs.
  constexpr long kMostRows = 10'000'000;
  if (++m_rows > kMostRows)
    throw m_file.error(1, "has more than 10 million rows", "write fewer times, or split the file");
  const CsvReader::Cell& cell = m_file.cells()[m_body.place];
  const int body = bodyOf(cell);
  m_expected = body + 1;
  const std::size_t index = body;
  const std::string& name = m_scene->bodies[index].name;
  if (m_active.isGiven()) {
    const CsvReader::Cell& active = m_file.cells()[m_active.place];
    if (active.text != "0" && active.text != "1")
      throw m_file.error(active.column, "'" + std::string(active.text.substr(0, 40)) + "' is neither 0 nor 1",
                         "write 1 for a body that takes part");
    if (active.text == "0") return;
  }
  if (m_isHere[index])
    throw m_file.error(cell.column, "'" + name + "' is there twice at " + csvNumber(sample.time) + " s",
                       "write one row per body and time");
  if (m_presence[index] == Presence::Left)
    throw m_file.error(cell.column, "'" + name + "' has rows before and here, but none at the time before",
                       "write a row for each time between; a body that has left stays away");
  m_isHere[index] = 1;
  const BodyState state = stateOfRow(body);
  if (m_scene->bodies[index].motion == Motion::Static)
    requireStart(body, state);
  else
    sample.states[index] = state;
}

bool TrajectoryReader::next(TrajectorySample& sample) {
  if (!m_hasRow) return false;
  const double before = m_before.time;
  sample.time = timeOfRow();
  if (m_samples > 0 && sample.time <= before)
    throw m_file.error(m_file.cells()[m_time.place].column,
                       "the time goes backwards, from " + csvNumber(before) + " s", "sort the rows by time");
  sample.states.resize(m_scene->bodies.size());
  for (std::size_t body = 0; body < sample.states.size(); ++body) {
    const Body& sceneBody = m_scene->bodies[body];
    sample.states[body] = startOf(sceneBody, sceneBody.motion == Motion::Static);
  }
  std::fill(m_isHere.begin(), m_isHere.end(), 0);
  do readRow(sample);
  while ((m_hasRow = m_file.next()) && timeOfRow() == sample.time);
  sample.contacts.clear();
  if (m_contacts) m_contacts->take(m_samples > 0 ? before : sample.time, sample.time, sample.contacts);
  close(sample);
  return true;
}

void TrajectoryReader::close(const TrajectorySample& sample) {
  for (std::size_t body = 0; body < m_presence.size(); ++body) {
    if (m_scene->bodies[body].motion == Motion::Static) continue;
    if (m_isHere[body])
      m_presence[body] = Presence::Here;
    else if (m_presence[body] == Presence::Here)
      m_presence[body] = Presence::Left;
  }
  if (m_samples == 0)
    m_startWarning = startWarning(*m_scene, m_header, sample.time, sample.states);
  else if (givesLinear() || givesAngular())
    m_velocities.add(*m_scene, m_before.time, m_before.states, sample.time, sample.states);
  m_before.time = sample.time;
  m_before.states = sample.states;
  ++m_samples;
  if (m_hasRow) return;
  const std::vector<std::string> without = missing();
  if (!without.empty() && m_missing == TrajectoryOptions::Missing::Error)
    throw SceneError(
        m_file.path(), std::to_string(m_file.line()) + ":1",
        "ends without a row of '" + without.front() + "'" +
            (without.size() > 1 ? " and " + std::to_string(without.size() - 1) + " more" : ""),
        "give poses of all dynamic bodies, map names with --names, or leave them out of all sums "
        "with --missing skip");
}

std::vector<char> TrajectoryReader::given() const {
  std::vector<char> given;
  for (std::size_t body = 0; body < m_presence.size(); ++body)
    given.push_back(m_scene->bodies[body].motion == Motion::Static || m_presence[body] != Presence::NotYet);
  return given;
}

std::vector<std::string> TrajectoryReader::missing() const {
  std::vector<std::string> names;
  const std::vector<char> isGiven = given();
  // The scene releases bodies at the start of a frame; they have moved at its end.
  const double last = m_before.time - kReleaseTolerance * m_scene->dt;
  for (std::size_t body = 0; body < isGiven.size(); ++body) {
    const Body& sceneBody = m_scene->bodies[body];
    if (!isGiven[body] && (sceneBody.releaseTime <= 0 || sceneBody.releaseTime < last))
      names.push_back(sceneBody.name);
  }
  return names;
}

std::vector<std::string> TrajectoryReader::warnings() const {
  std::vector<std::string> texts;
  const auto addOf = [&](const TrajectoryHeader& header, const std::string& prefix) {
    for (const std::string& unknown : header.unknown)
      texts.push_back(prefix + unknown + " is no known header and is left out");
    if (!header.scene.empty() && header.scene != m_scene->name)
      texts.push_back(prefix + "it is of the scene '" + header.scene + "', judged in '" + m_scene->name +
                      "'");
    const auto file = m_scene->sources.find(std::filesystem::path(m_scene->file).filename().string());
    if (!header.sceneHash.empty() && file != m_scene->sources.end() &&
        sha256(*file->second.bytes) != header.sceneHash)
      texts.push_back(prefix + "it is of another version of the scene (scene_sha256 differs)");
  };
  addOf(m_header, "");
  if (m_normalised > 0)
    texts.push_back(std::to_string(m_normalised) + " quaternions were off unit length and are normalised");
  if (!m_unusedNames.empty())
    texts.push_back("--names: no row has the body '" + *m_unusedNames.begin() + "'" +
                    (m_unusedNames.size() > 1
                         ? ", nor " + std::to_string(m_unusedNames.size() - 1) + " more that are mapped"
                         : ", which is mapped"));
  if (!m_startWarning.empty()) texts.push_back(m_startWarning);
  for (const std::string& text : m_velocities.warnings(m_header, givesLinear(), givesAngular()))
    texts.push_back(text);
  if (m_contacts) {
    addOf(m_contacts->header(), "contacts, ");
    if (const std::string text = m_contacts->warning(); !text.empty()) texts.push_back(text);
  }
  for (std::string& text : texts) text = m_file.path() + ": " + printable(text);
  return texts;
}

Trajectory readTrajectory(std::shared_ptr<const Scene> scene, const std::string& path,
                          const TrajectoryOptions& options, std::vector<std::string>* warnings) {
  TrajectoryReader reader(scene, path, options);
  Trajectory trajectory;
  trajectory.scene = std::move(scene);
  trajectory.name = reader.key();
  trajectory.engine = reader.header().engine;
  trajectory.integrator = reader.header().integrator;
  trajectory.model = reader.header().model;
  trajectory.step = reader.header().step;
  trajectory.precision = reader.header().precision;
  trajectory.iterations = reader.header().iterations;
  trajectory.processorTime = reader.header().processorTime;
  trajectory.hasContacts = reader.contacts() != nullptr;
  if (reader.contacts()) trajectory.contactsComplete = reader.contacts()->header().isComplete;
  SamplesWithVelocities samples(reader, trajectory.scene, options.distrustsVelocities);
  for (TrajectorySample sample; samples.next(sample);) {
    trajectory.times.push_back(sample.time);
    trajectory.states.push_back(std::move(sample.states));
    if (trajectory.hasContacts) trajectory.contacts.push_back(std::move(sample.contacts));
  }
  trajectory.given = reader.given();
  trajectory.linearDerived = !reader.givesLinear();
  trajectory.angularDerived = !reader.givesAngular();
  const BeliefSums belief = samples.belief();
  trajectory.distrusted = belief.replaced > 0;
  trajectory.replacedVelocities = belief.replaced;
  trajectory.givenVelocities = belief.velocities;
  if (warnings) *warnings = reader.warnings();
  return trajectory;
}

std::map<std::string, std::string> readNames(const Scene& scene, const std::string& path) {
  CsvReader file(path, "give a file with rows 'theirs,ours'");
  std::map<std::string, std::string> names;
  while (file.next()) {
    if (file.isComment()) continue;
    const std::vector<CsvReader::Cell>& cells = file.cells();
    if (cells.size() != 2)
      throw file.error(1, "has " + std::to_string(cells.size()) + " cells",
                       "write 'theirs,ours' in each row");
    if (cells[0].text == "theirs" && cells[1].text == "ours") continue;
    const std::string ours(cells[1].text);
    const auto isOurs = [&](const Body& body) { return body.name == ours; };
    if (std::none_of(scene.bodies.begin(), scene.bodies.end(), isOurs))
      throw unknownBody(file, cells[1], scene);
    if (!names.emplace(std::string(cells[0].text), ours).second)
      throw file.error(1, "'" + std::string(cells[0].text) + "' is mapped twice",
                       "leave one of the rows out");
  }
  return names;
}

}  // namespace touchstone
