#include "core/trajectory/file_frame.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "core/files/listed.h"
#include "core/files/nearest_names.h"

namespace touchstone {

namespace {

constexpr char kCentreOfMass[] = "centre_of_mass";

std::string_view stripped(std::string_view text) {
  const auto isBlank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return text;
}

/// A line "# key: value".
struct HeaderLine {
  std::string key, value;
  int column = 1;  ///< of the value
};

HeaderLine headerLine(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view value = stripped(text.substr(colon + 1));
  const auto column = value.empty() ? colon + 2 : static_cast<std::size_t>(value.data() - text.data()) + 1;
  return {std::string(stripped(text.substr(1, colon - 1))), std::string(value), static_cast<int>(column)};
}

/// True if the value is the second of two words. @throws SceneError for other words
bool isSecond(const CsvReader& file, const HeaderLine& line, const std::string& first,
              const std::string& second) {
  if (line.value != first && line.value != second)
    throw file.error(line.column, "'" + line.value + "' is no " + line.key,
                     "write '# " + line.key + ": " + first + "' or '# " + line.key + ": " + second + "'");
  return line.value == second;
}

/// The words of a list "plastic, pyramid4".
std::vector<std::string> wordsOf(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    const std::size_t first = word.find_first_not_of(" \t"), last = word.find_last_not_of(" \t");
    if (first != std::string::npos) words.push_back(word.substr(first, last - first + 1));
  }
  return words;
}

double notNegative(const CsvReader& file, const HeaderLine& line, const char* remedy) {
  const double number = file.number({line.value, line.column});
  if (number < 0) throw file.error(line.column, "the " + line.key + " is negative", remedy);
  return number;
}

/// A larger number is no setting that anybody means; a smaller one refuses solvers of many small steps.
constexpr int kMostIterations = 1'000'000'000;

/// Headers that a file of this form may have.
std::vector<std::string> headersOf(const std::string& form) {
  std::vector<std::string> names = {"scene", "scene_sha256", "engine", "length", "up"};
  if (form == "touchstone_contacts")
    names.insert(names.end(), {"kind", "complete"});
  else
    names.insert(names.end(), {"frame", "omega", "step", "integrator", "model", "precision", "iterations",
                               "processor_time", kCentreOfMass});
  return names;
}

/// Refuses a header that a known one is meant by. Others are notes of another program, which are reported.
void noteUnknown(const CsvReader& file, const std::string& key, const std::vector<std::string>& known,
                 TrajectoryHeader& header) {
  constexpr char kNotTypo[] = "revision";  // a word of its own, near to `precision`
  const std::string nearest = key == kNotTypo ? std::string() : nearestNames(key, known, 1).front();
  // A larger share takes other words for typing errors; a smaller one lets typing errors pass.
  const std::size_t maxDistance = std::max<std::size_t>(1, key.size() / 3);
  if (key.size() < 100 && editDistance(key, nearest) <= maxDistance)
    throw file.error(1, "the header '" + key + "' is not known", "did you mean '" + nearest + "'?");
  header.unknown.push_back("line " + std::to_string(file.line()) + ": '" + key + "'");
}

/// @param known  headers that it may have   @param seen  those before this one
void read(const CsvReader& file, const HeaderLine& line, const std::vector<std::string>& known,
          std::set<std::string>& seen, TrajectoryHeader& header) {
  const std::string& key = line.key;
  if (key.empty() || key == kCentreOfMass) return;  // a note of this program, one line for each body
  if (!std::count(known.begin(), known.end(), key)) {
    noteUnknown(file, key, known, header);
    return;
  }
  if (!seen.insert(key).second)
    throw file.error(1, "the header '" + key + "' is there twice", "leave one of them out");
  if (key == "scene") {
    header.scene = line.value;
  } else if (key == "scene_sha256") {
    header.sceneHash = line.value;
  } else if (key == "engine") {
    header.engine = line.value;
  } else if (key == "integrator") {
    header.integrator = line.value;
  } else if (key == "model") {
    header.model = wordsOf(line.value);
  } else if (key == "length") {
    if (lengthOfUnit(line.value) == 0)
      throw file.error(line.column, "'" + line.value + "' is no known unit of lengths",
                       "use m, cm, mm or in");
    header.length = line.value;
  } else if (key == "up") {
    header.isZUp = isSecond(file, line, "y", "z");
  } else if (key == "frame") {
    header.isOfOrigin = isSecond(file, line, "com", "origin");
  } else if (key == "omega") {
    header.isOmegaOfBody = isSecond(file, line, "world", "body");
  } else if (key == "step") {
    header.step = notNegative(file, line, "give the length of a step in seconds");
  } else if (key == "precision") {
    header.precision = isSecond(file, line, "double", "single") ? "single" : "double";
  } else if (key == "iterations") {
    const double count = notNegative(file, line, "give their number in a step");
    if (count != std::floor(count) || count > kMostIterations)
      throw file.error(line.column, "'" + line.value + "' is no number of iterations",
                       "give a whole number up to " + std::to_string(kMostIterations));
    header.iterations = static_cast<int>(count);
  } else if (key == "processor_time") {
    header.processorTime = notNegative(file, line, "give the seconds of the whole motion");
  } else if (key == "kind") {
    header.isForce = isSecond(file, line, "impulse", "force");
  } else if (key == "complete") {
    header.isComplete = !isSecond(file, line, "yes", "no");
  }
}

}  // namespace

double lengthOfUnit(const std::string& word) {
  return word == "m" ? 1 : word == "cm" ? 0.01 : word == "mm" ? 0.001 : word == "in" ? 0.0254 : 0;
}

TrajectoryHeader readTrajectoryHeader(CsvReader& file, const std::string& form) {
  const std::string remedy = "begin the file with the line '# " + form + ": 1'";
  TrajectoryHeader header;
  if (!file.next()) throw SceneError(file.path(), "1:1", "is empty", remedy);
  const HeaderLine first = file.isComment() ? headerLine(file.comment()) : HeaderLine();
  if (first.key != form) throw file.error(1, "is no '" + form + "'", remedy);
  if (first.value != "1")
    throw file.error(first.column, "has version '" + first.value + "', known is 1",
                     "write version 1, or use a newer Touchstone");
  const std::vector<std::string> known = headersOf(form);
  std::set<std::string> seen;
  while (true) {
    if (!file.next())
      throw SceneError(file.path(), std::to_string(file.line() + 1) + ":1", "has no row of column names",
                       "write one below the lines that begin with #");
    if (!file.isComment()) return header;
    read(file, headerLine(file.comment()), known, seen, header);
  }
}

namespace {

/// Factor of the unit behind the name of a column; 0 if it does not fit. @param length  out: its word
double scaleOf(ColumnUnit unit, const std::string& text, std::string& length) {
  if (unit == ColumnUnit::Time) return text == "s" ? 1 : 0;
  if (unit == ColumnUnit::Spin) return text == "rad_per_s" ? 1 : 0;
  if (unit == ColumnUnit::Impulse) return text == "Ns" || text == "N" ? 1 : 0;
  if (unit != ColumnUnit::Length && unit != ColumnUnit::Speed) return 0;
  const std::string end = "_per_s";
  length = text;
  if (unit == ColumnUnit::Speed) {
    if (text.size() <= end.size() || text.substr(text.size() - end.size()) != end) return 0;
    length = text.substr(0, text.size() - end.size());
  }
  return lengthOfUnit(length);
}

}  // namespace

void findColumns(const CsvReader& file, const TrajectoryHeader& header,
                 const std::vector<NamedColumn>& columns) {
  const auto nameOf = [](const NamedColumn& column) { return std::string(column.name); };
  std::vector<std::string> names;
  for (const NamedColumn& column : columns) names.push_back(column.name);
  int place = -1;
  for (const CsvReader::Cell& cell : file.cells()) {
    ++place;
    const std::string text(stripped(cell.text));
    const NamedColumn* found = nullptr;
    std::string unit;
    for (const NamedColumn& column : columns) {
      const std::string name = column.name;
      if (text != name && text.substr(0, name.size() + 1) != name + "_") continue;
      if (found && std::string(found->name).size() > name.size()) continue;
      found = &column;
      unit = text == name ? "" : text.substr(name.size() + 1);
    }
    if (!found) {
      const std::vector<std::string> nearest = nearestNames(text, names, 1);
      throw file.error(cell.column, "the column '" + text + "' is not known",
                       "did you mean '" + nearest.front() + "'? Known are " + listed(columns, ", ", nameOf));
    }
    if (found->column->isGiven())
      throw file.error(cell.column, "the column '" + text + "' is there twice", "leave one of them out");
    found->column->place = place;
    const bool isLength = found->unit == ColumnUnit::Length || found->unit == ColumnUnit::Speed;
    if (isLength && !header.length.empty()) found->column->scale = lengthOfUnit(header.length);
    if (unit.empty()) continue;
    std::string length;
    const double scale = scaleOf(found->unit, unit, length);
    if (scale == 0)
      throw file.error(cell.column, "'" + unit + "' is no unit of '" + found->name + "'",
                       "lengths are in m, cm, mm or in (x_mm, vx_mm_per_s), times in s, angles in rad");
    if (isLength && !header.length.empty() && length != header.length)
      throw file.error(
          cell.column,
          "'" + text + "' is in " + length + ", but the header says '# length: " + header.length + "'",
          "give one unit");
    found->column->scale = scale;
  }
}

}  // namespace touchstone
