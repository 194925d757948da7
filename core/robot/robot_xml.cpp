#include "core/robot/robot_xml.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"

namespace touchstone {

namespace {

// A larger value lets a wrong file fill the memory with its elements; a smaller one refuses robots with many
// coordinates.
constexpr std::size_t kMostRobotBytes = std::size_t(16) << 20;
// Most places in one note, and most notes of one import. A larger value makes the notes too long to read; a
// smaller value leaves out elements that the user has to check.
constexpr std::size_t kMostPlaces = 8, kMostRobotNotes = 400;

/// The place without the middle of a long path: names tell which element it is.
std::string shortPlace(const std::string& place) {
  constexpr char kWorld[] = "mujoco/worldbody/";
  if (place.compare(0, sizeof(kWorld) - 1, kWorld) != 0) return place;
  const std::size_t last = place.rfind('/'), before = place.rfind('/', last - 1);
  return before < sizeof(kWorld) ? place : "mujoco/…/" + place.substr(before + 1);
}

/// Refuses references such as &#x110000; to what is no letter.
void requireLetters(const std::string& text, const std::string& path) {
  constexpr unsigned long kLastLetter = 0x10ffff, kFirstSurrogate = 0xd800, kLastSurrogate = 0xdfff;
  for (std::size_t place = text.find("&#"); place != std::string::npos; place = text.find("&#", place + 2)) {
    const bool isHexadecimal = text.compare(place + 2, 1, "x") == 0;
    const std::string digits = text.substr(place + (isHexadecimal ? 3 : 2), 20);
    char* end = nullptr;
    const unsigned long code = std::strtoul(digits.c_str(), &end, isHexadecimal ? 16 : 10);
    if (end == digits.c_str() || *end != ';') continue;
    const bool isLetter =
        code > 0 && code <= kLastLetter && (code < kFirstSurrogate || code > kLastSurrogate);
    if (!isLetter)
      throw SceneError(path, "",
                       "has the reference " + text.substr(place, text.find(';', place) - place + 1) +
                           ", which names no letter",
                       "write the letter itself");
  }
}

}  // namespace

XmlView readRobotXml(const std::string& path, tinyxml2::XMLDocument& document) {
  const std::string text = readFile(path, "give the path of a URDF or MJCF file");
  if (text.size() > kMostRobotBytes)
    throw SceneError(path, "", "is larger than 16 MiB", "keep meshes in files of their own");
  requireLetters(text, path);
  parseXml(text, path, document);
  return {*document.RootElement(), std::make_shared<const std::string>(path)};
}

void RobotNotes::add(const std::string& file, const std::string& place, const std::string& text) {
  const std::string name = std::filesystem::path(file).filename().string();
  const auto [found, isNew] = m_index.insert({name + '\n' + text, m_notes.size()});
  if (isNew) m_notes.push_back({name, text, {}});
  m_notes[found->second].places.push_back(place);
}

std::vector<std::string> RobotNotes::lines() const {
  std::vector<std::string> lines;
  for (const Note& note : m_notes) {
    if (lines.size() == kMostRobotNotes) {
      lines.push_back(std::to_string(m_notes.size() - kMostRobotNotes) + " further notes are left out");
      break;
    }
    std::string line = note.file + ": ";
    for (std::size_t place = 0; place < std::min(note.places.size(), kMostPlaces); ++place)
      line += (place ? ", " : "") + shortPlace(note.places[place]);
    if (note.places.size() > kMostPlaces)
      line += " and " + std::to_string(note.places.size() - kMostPlaces) + " more";
    const bool isOfFile = note.places.size() == 1 && note.places[0].empty();
    lines.push_back(printable((isOfFile ? note.file : line) + ": " + note.text));
  }
  return lines;
}

}  // namespace touchstone
