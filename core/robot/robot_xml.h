#pragma once

#include <tinyxml2.h>

#include <map>
#include <string>
#include <vector>

#include "core/files/xml_view.h"

namespace touchstone {

/// Reads a robot's file into `document`. Refuses files above 16 MiB, and what parseXml() refuses.
/// @throws SceneError
XmlView readRobotXml(const std::string& path, tinyxml2::XMLDocument& document);

/// Notes of an import for the user. Equal notes on several elements become one line.
class RobotNotes {
 public:
  void add(const XmlView& element, const std::string& text) { add(element.file(), element.place(), text); }
  void add(const std::string& file, const std::string& place, const std::string& text);
  std::vector<std::string> lines() const;

 private:
  struct Note {
    std::string file, text;
    std::vector<std::string> places;
  };
  std::vector<Note> m_notes;
  std::map<std::string, std::size_t> m_index;  ///< by file and text
};

}  // namespace touchstone
