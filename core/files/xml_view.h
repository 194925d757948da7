#pragma once

#include <tinyxml2.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/math/vec.h"

namespace touchstone {

/// An element of an XML file that knows its place, so that every error and note names file and element.
/// All values are read through its functions: digits are those of the C locale, and finite.
class XmlView {
 public:
  /// @param file  of the document; elements that were included carry the name of their own
  XmlView(const tinyxml2::XMLElement& element, std::shared_ptr<const std::string> file)
      : m_element(&element), m_file(std::move(file)) {}

  std::string tag() const { return m_element->Name(); }
  std::string file() const;
  std::string place() const;  ///< such as robot/joint[elbow]/limit
  int line() const { return m_element->GetLineNum(); }
  const tinyxml2::XMLElement& element() const { return *m_element; }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const;

  bool has(const char* attribute) const { return m_element->Attribute(attribute) != nullptr; }
  std::string text(const char* attribute) const;  ///< fails if it is missing or empty
  std::string textOr(const char* attribute, const std::string& standard) const;
  /// Numbers between blanks, at most 1e6 in size. Fails unless there are `minCount` to `maxCount` of them.
  std::vector<double> numbers(const char* attribute, std::size_t minCount, std::size_t maxCount) const;
  double number(const char* attribute) const { return numbers(attribute, 1, 1)[0]; }
  double numberOr(const char* attribute, double standard) const {
    return has(attribute) ? number(attribute) : standard;
  }
  double positive(const char* attribute) const;
  double nonNegativeOr(const char* attribute, double standard) const;
  Vec3 vector(const char* attribute) const;
  Vec3 vectorOr(const char* attribute, const Vec3& standard) const {
    return has(attribute) ? vector(attribute) : standard;
  }
  bool flagOr(const char* attribute, bool standard) const;  ///< true or false

  std::vector<XmlView> children() const;
  std::vector<XmlView> children(const char* tag) const;
  const tinyxml2::XMLElement* child(const char* tag) const { return m_element->FirstChildElement(tag); }
  XmlView at(const tinyxml2::XMLElement& element) const { return {element, m_file}; }

 private:
  const tinyxml2::XMLElement* m_element;
  std::shared_ptr<const std::string> m_file;
};

/// Numbers of a text, parted by blanks. Underflow is 0. @return false if a word is no finite number
bool numbersOf(const std::string& text, std::vector<double>& numbers);

/// Parses XML from an untrusted source. Refuses document types and entities, other encodings than UTF-8, and
/// more than 100 levels. @param path  in messages   @throws SceneError
void parseXml(const std::string& text, const std::string& path, tinyxml2::XMLDocument& document);

}  // namespace touchstone
