#include "core/motion/motion_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "core/files/csv_reader.h"
#include "core/files/file_bytes.h"
#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/files/listed.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;

enum Column {
  TimeColumn,
  XColumn,
  YColumn,
  ZColumn,
  QwColumn,
  QxColumn,
  QyColumn,
  QzColumn,
  VxColumn,
  VyColumn,
  VzColumn,
  WxColumn,
  WyColumn,
  WzColumn,
  BodyColumn,
  TossColumn,
  GroupColumn,
  ColumnCount
};
const std::array<const char*, ColumnCount> kColumns = {"time_s", "x_m", "y_m",  "z_m",  "qw",   "qx",
                                                       "qy",     "qz",  "vx",   "vy",   "vz",   "wx",
                                                       "wy",     "wz",  "body", "toss", "group"};
/// Below it a quaternion has no direction. A larger value refuses quaternions that were scaled; a smaller one
/// divides by rounding.
constexpr double kSmallestNorm = 1e-6;
/// A larger value lets a damaged file make more tosses than anyone records; a smaller one refuses archives.
constexpr std::size_t kMostTosses = 100'000;
/// Most bodies of a toss, for the same reason.
constexpr std::size_t kMostTracks = 1'000;

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string() : std::string(text.substr(first, last - first + 1));
}

/// Goes to the next row that is no comment. @return false at the end
bool nextRow(CsvReader& file) {
  do {
    if (!file.next()) return false;
  } while (file.isComment());
  return true;
}

/// Place of each column in the lines of a file; −1: the file does not have it.
struct Header {
  std::array<int, ColumnCount> place;
  bool has(Column column) const { return place[column] >= 0; }
};

Header headerOf(const CsvReader& file, const MotionFormat& format) {
  Header header;
  header.place.fill(-1);
  std::array<std::string, ColumnCount> names;
  for (int column = 0; column < ColumnCount; ++column) {
    const auto renamed = format.columns.find(kColumns[column]);
    names[column] = renamed == format.columns.end() ? kColumns[column] : renamed->second;
  }
  for (std::size_t place = 0; place < file.cells().size(); ++place) {
    const std::string name = trimmed(file.cells()[place].text);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string nearest = nearestName(name, {names.begin(), names.end()});
      throw file.error(file.cells()[place].column, "'" + name + "' is no column of a motion",
                       nearest.empty()
                           ? "name it in columns of motion.json, or remove it; there are " + listed(names)
                           : "did you mean '" + nearest + "'?");
    }
    int& columnPlace = header.place[found - names.begin()];
    if (columnPlace >= 0)
      throw file.error(file.cells()[place].column, "'" + name + "' is there twice", "remove one of the two");
    columnPlace = static_cast<int>(place);
  }
  const auto require = [&](Column column, const std::string& remedy) {
    if (!header.has(column)) throw file.error(1, "there is no column '" + names[column] + "'", remedy);
  };
  if (format.rate == 0) require(TimeColumn, "add it, or give rate_hz in motion.json");
  if (format.rate > 0 && header.has(TimeColumn))
    throw file.error(file.cells()[header.place[TimeColumn]].column,
                     "is a column of times, and motion.json gives rate_hz", "remove one of the two");
  for (const Column column : {XColumn, YColumn, ZColumn, QwColumn, QxColumn, QyColumn, QzColumn})
    require(column, "add it, or say in columns of motion.json how it is called");
  for (const int first : {int(VxColumn), int(WxColumn)})
    for (const int column : {first, first + 1, first + 2})
      if (header.has(Column(column)))
        for (const int other : {first, first + 1, first + 2})
          require(Column(other), "give all three components, or none");
  return header;
}

/// Reads the numbers of one line after the other.
class Rows {
 public:
  /// @param file  at its header
  Rows(CsvReader& file, const Header& header)
      : m_file(file), m_header(header), m_count(file.cells().size()) {}

  bool next() {
    if (!nextRow(m_file)) return false;
    const auto& cells = m_file.cells();
    if (cells.size() != m_count)
      throw m_file.error(
          cells.back().column,
          "the line has " + std::to_string(cells.size()) + " cells and the header " + std::to_string(m_count),
          "give each line as many cells as the header");
    return true;
  }
  [[noreturn]] void fail(Column column, const std::string& problem, const std::string& remedy) const {
    throw m_file.error(cell(column).column, problem, remedy);
  }
  std::string text(Column column) const {
    return m_header.has(column) ? trimmed(cell(column).text) : std::string();
  }
  double number(Column column) const {
    if (text(column).empty())
      fail(column, "'' is not a finite number", "give it, or leave the whole pose empty for a missing frame");
    return m_file.number(cell(column));
  }
  /// True if all cells from `first` on, `count` of them, are empty.
  bool isEmpty(Column first, int count) const {
    for (int column = first; column < first + count; ++column)
      if (!text(Column(column)).empty()) return false;
    return true;
  }
  Vec3 vector(Column first) const {
    return {number(first), number(Column(first + 1)), number(Column(first + 2))};
  }

 private:
  const CsvReader::Cell& cell(Column column) const {
    return m_file.cells()[std::max(0, m_header.place[column])];
  }
  CsvReader& m_file;
  const Header& m_header;
  std::size_t m_count;
};

/// From the axes of a file into ours, and back.
struct Turn {
  MotionFormat::Up up;
  Vec3 operator()(const Vec3& v) const { return up == MotionFormat::Up::Z ? Vec3(v.x(), v.z(), -v.y()) : v; }
  Vec3 back(const Vec3& v) const { return up == MotionFormat::Up::Z ? Vec3(v.x(), -v.z(), v.y()) : v; }
  Quaternion turn() const {
    const double half = std::sqrt(0.5);
    return up == MotionFormat::Up::Z ? Quaternion(half, -half, 0, 0) : Quaternion(1, 0, 0, 0);
  }
};

/// A pose and its velocities as the file has them; velocities that are not there are no numbers.
struct FileSample {
  Vec3 position = Vec3::Zero();
  std::array<double, 4> quaternion = {1, 0, 0, 0};  ///< in the order of the columns qw to qz
  Vec3 velocity = Vec3::Constant(kNaN), angularVelocity = Vec3::Constant(kNaN);
};

MotionSample sampleOf(const FileSample& fileSample, const MotionFormat& format) {
  const Turn turned{format.up};
  MotionSample sample;
  sample.position = turned(Vec3(format.unit * fileSample.position));
  sample.velocity = turned(Vec3(format.unit * fileSample.velocity));
  std::array<double, 4> q = fileSample.quaternion;
  // Of a file with the real part last the column qw holds the first imaginary part, and qz the real one.
  if (format.quaternion == MotionFormat::QuaternionOrder::RealLast)
    std::rotate(q.begin(), q.begin() + 3, q.end());
  const Quaternion orientation(q[0], q[1], q[2], q[3]);
  const bool isOfBody = format.omega == MotionFormat::SpinFrame::Body;
  sample.angularVelocity =
      turned(isOfBody ? Vec3(orientation * fileSample.angularVelocity) : fileSample.angularVelocity);
  sample.orientation = product(turned.turn(), orientation);
  return sample;
}

FileSample fileSampleOf(const MotionSample& sample, const MotionFormat& format) {
  const Turn turned{format.up};
  FileSample fileSample;
  fileSample.position = turned.back(sample.position) / format.unit;
  fileSample.velocity = turned.back(sample.velocity) / format.unit;
  const Quaternion q = product(turned.turn().conjugate(), sample.orientation);
  fileSample.quaternion = {q.w(), q.x(), q.y(), q.z()};
  if (format.quaternion == MotionFormat::QuaternionOrder::RealLast)
    std::rotate(fileSample.quaternion.begin(), fileSample.quaternion.begin() + 1,
                fileSample.quaternion.end());
  fileSample.angularVelocity = turned.back(sample.angularVelocity);
  if (format.omega == MotionFormat::SpinFrame::Body)
    fileSample.angularVelocity = q.conjugate() * fileSample.angularVelocity;
  return fileSample;
}

MotionSample readSample(const Rows& rows, const Header& header, const MotionFormat& format,
                        RecordedMotion& motion) {
  if (rows.isEmpty(XColumn, 7)) {
    if (!rows.isEmpty(VxColumn, 6))
      rows.fail(XColumn, "there are velocities without a pose", "leave them empty too, or give the pose");
    MotionSample gap;
    gap.isMissing = true;
    return gap;
  }
  FileSample fileSample;
  fileSample.position = rows.vector(XColumn);
  fileSample.quaternion = {rows.number(QwColumn), rows.number(QxColumn), rows.number(QyColumn),
                           rows.number(QzColumn)};
  const auto& q = fileSample.quaternion;
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(norm >= kSmallestNorm)) rows.fail(QwColumn, "the quaternion has no length", "give a unit quaternion");
  motion.normError = std::max(motion.normError, std::abs(norm - 1));
  for (double& part : fileSample.quaternion) part /= norm;
  if (header.has(VxColumn) && !rows.isEmpty(VxColumn, 3)) fileSample.velocity = rows.vector(VxColumn);
  if (header.has(WxColumn) && !rows.isEmpty(WxColumn, 3)) fileSample.angularVelocity = rows.vector(WxColumn);
  return sampleOf(fileSample, format);
}

/// Finds or adds an item by a name; most lines belong to the item of the line before.
template <class Item, class Name>
Item& named(std::vector<Item>& items, std::map<std::string, std::size_t>& places, const std::string& name,
            const Name& give) {
  const auto [place, isNew] = places.emplace(name, items.size());
  if (isNew) {
    items.emplace_back();
    give(items.back());
  }
  return items[place->second];
}

double unitOf(const JsonView& view) {
  if (view.json().is_number()) return view.positive();
  const std::string word = view.oneOf({"m", "cm", "mm", "in"});
  return word == "m" ? 1 : word == "cm" ? 0.01 : word == "mm" ? 0.001 : 0.0254;
}

}  // namespace

MotionFormat motionFormatOf(const std::string& text, const std::string& file) {
  const nlohmann::json document = parseJson(text, file);
  const JsonView root(document, file, "the guide's page on recorded motion describes this file");
  root.requireObject();
  root.allowOnly({"columns", "unit", "up", "quaternion", "omega", "rate_hz"});
  MotionFormat format;
  if (root.has("columns")) {
    const JsonView columns = root.at("columns");
    columns.requireObject();
    columns.allowOnly({kColumns.begin(), kColumns.end()});
    std::map<std::string, std::string> users;
    for (const auto& [usual, name] : columns.members(ColumnCount)) {
      format.columns[usual] = name.text();
      const auto [other, isNew] = users.emplace(name.text(), usual);
      if (!isNew) name.fail("is also that of " + other->second, "give each column a name of its own");
    }
  }
  if (root.has("unit")) format.unit = unitOf(root.at("unit"));
  if (root.has("up") && root.at("up").oneOf({"y", "z"}) == "z") format.up = MotionFormat::Up::Z;
  if (root.has("quaternion") && root.at("quaternion").oneOf({"wxyz", "xyzw"}) == "xyzw")
    format.quaternion = MotionFormat::QuaternionOrder::RealLast;
  if (root.has("omega") && root.at("omega").oneOf({"world", "body"}) == "body")
    format.omega = MotionFormat::SpinFrame::Body;
  if (root.has("rate_hz")) format.rate = root.at("rate_hz").positive();
  return format;
}

RecordedMotion readMotion(const std::string& path, const MotionFormat& format) {
  RecordedMotion motion;
  motion.file = path;
  motion.format = format;
  CsvReader file(path, "give the path of a CSV file with a recorded motion");
  if (!nextRow(file))
    throw SceneError(path, "", "has no header", "begin with a line such as time_s,x_m,y_m,z_m,qw,qx,qy,qz");
  const Header header = headerOf(file, format);
  motion.hasVelocity = header.has(VxColumn);
  motion.hasAngularVelocity = header.has(WxColumn);
  motion.hasGroups = header.has(GroupColumn);
  std::map<std::string, std::size_t> tosses;
  std::vector<std::map<std::string, std::size_t>> tracks;
  Rows rows(file, header);
  while (rows.next()) {
    const std::string tossName = rows.text(TossColumn), body = rows.text(BodyColumn);
    if (header.has(TossColumn) && tossName.empty()) rows.fail(TossColumn, "there is no toss", "name it");
    if (header.has(GroupColumn) && rows.text(GroupColumn).empty())
      rows.fail(GroupColumn, "there is no group", "name it");
    if (header.has(BodyColumn) && body.empty())
      rows.fail(BodyColumn, "there is no body", "name it as the scene does");
    const std::string group = rows.text(GroupColumn);
    Toss& toss = named(motion.tosses, tosses, tossName, [&](Toss& newToss) {
      newToss.name = tossName;
      newToss.group = group;
      tracks.emplace_back();
    });
    if (toss.group != group)
      rows.fail(GroupColumn, "is not the group of the lines before in toss " + toss.name,
                "give all lines of a toss one group");
    MotionTrack& track = named(toss.tracks, tracks[&toss - motion.tosses.data()], body,
                               [&](MotionTrack& newTrack) { newTrack.body = body; });
    if (motion.tosses.size() > kMostTosses || toss.tracks.size() > kMostTracks)
      rows.fail(TossColumn, "there are too many tosses or bodies", "split the file");
    MotionSample sample = readSample(rows, header, format, motion);
    sample.time =
        format.rate > 0 ? static_cast<double>(track.samples.size()) / format.rate : rows.number(TimeColumn);
    if (!track.samples.empty() && !(sample.time > track.samples.back().time))
      rows.fail(TimeColumn,
                "is not later than the time before" + (toss.name.empty() ? "" : " in toss " + toss.name),
                header.has(TossColumn)
                    ? "give ascending times in each toss"
                    : "give ascending times, or a column toss where several runs follow each other");
    motion.gaps += sample.isMissing;
    track.samples.push_back(sample);
  }
  if (motion.tosses.empty())
    throw file.error(1, "there are no lines below the header", "give one line per frame");
  return motion;
}

RecordedMotion readAs(const RecordedMotion& motion, const MotionFormat& format) {
  RecordedMotion other = motion;
  for (Toss& toss : other.tosses)
    for (MotionTrack& track : toss.tracks)
      for (MotionSample& sample : track.samples) {
        if (sample.isMissing) continue;
        const double time = sample.time;
        sample = sampleOf(fileSampleOf(sample, motion.format), format);
        sample.time = time;
      }
  other.format.unit = format.unit;
  other.format.up = format.up;
  other.format.quaternion = format.quaternion;
  other.format.omega = format.omega;
  return other;
}

RecordedMotion readMotion(const std::string& path) {
  const fs::path beside = fs::path(path).parent_path() / "motion.json";
  std::error_code ignored;
  MotionFormat format;
  if (fs::exists(beside, ignored))
    format = motionFormatOf(readFile(beside.string(), "remove it, or make it readable"), beside.string());
  return readMotion(path, format);
}

}  // namespace touchstone
