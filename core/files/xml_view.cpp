#include "core/files/xml_view.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/files/scene_error.h"

namespace touchstone {

namespace {

// [m, kg, …] Joints of longer robots do not fit to 1e-6 m in double; a smaller value refuses stiff springs.
constexpr double kLargestXmlNumber = 1e9;
const char kBlanks[] = " \t\r\n";

std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

/// True if a tag has more attributes than the parser can take: it compares each with all before it.
/// @param text  without comments and character data
bool hasLongTag(const std::string& text) {
  // A larger value lets the time of reading grow with the square; a smaller one refuses elements of MJCF.
  constexpr int kMostAttributes = 1000;
  int attributes = 0;
  char quote = 0;
  bool isInTag = false;
  for (const char c : text) {
    if (quote) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '<') {
      isInTag = true;
      attributes = 0;
    } else if (c == '>') {
      isInTag = false;
    } else if (isInTag && (c == '"' || c == '\'')) {
      quote = c;
    } else if (isInTag && c == '=' && ++attributes > kMostAttributes) {
      return true;
    }
  }
  return false;
}

/// The text without comments and character data.
std::string withoutComments(const std::string& text) {
  std::string kept;
  for (std::size_t place = 0; place < text.size();) {
    const bool isComment = text.compare(place, 4, "<!--") == 0,
               isData = text.compare(place, 9, "<![CDATA[") == 0;
    if (!isComment && !isData) {
      kept += text[place++];
      continue;
    }
    const std::size_t end = text.find(isComment ? "-->" : "]]>", place);
    place = end == std::string::npos ? text.size() : end + 3;
  }
  return kept;
}

bool isUtf8(const std::string& text) {
  try {
    nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

bool numberOf(std::string word, double& number) {
  if (!word.empty() && word[0] == '+') word.erase(0, 1);
  const std::from_chars_result read = std::from_chars(word.data(), word.data() + word.size(), number);
  if (read.ptr != word.data() + word.size()) return false;
  if (read.ec == std::errc::result_out_of_range) {  // too large, or so small that it is nothing
    number = 0;
    return word.find("e-") != std::string::npos || word.find("E-") != std::string::npos;
  }
  return read.ec == std::errc() && std::isfinite(number);
}

}  // namespace

bool numbersOf(const std::string& text, std::vector<double>& numbers) {
  std::size_t first = text.find_first_not_of(kBlanks);
  while (first != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, first), text.size());
    double number = 0;
    if (!numberOf(text.substr(first, end - first), number)) return false;
    numbers.push_back(number);
    first = text.find_first_not_of(kBlanks, end);
  }
  return true;
}

std::string XmlView::file() const {
  for (const tinyxml2::XMLNode* node = m_element; node; node = node->Parent())
    if (const void* name = node->GetUserData()) return *static_cast<const std::string*>(name);
  return *m_file;
}

std::string XmlView::place() const {
  std::string place;
  for (const tinyxml2::XMLNode* node = m_element; node && node->ToElement(); node = node->Parent()) {
    std::string step = node->ToElement()->Name();
    const bool isRoot = !node->Parent() || !node->Parent()->ToElement();
    if (const char* name = isRoot ? nullptr : node->ToElement()->Attribute("name"))
      step += "[" + shortened(name) + "]";
    else if (const char* joint = node->ToElement()->Attribute("joint"))
      step += "[" + shortened(joint) + "]";
    place = place.empty() ? step : step + "/" + place;
  }
  return place;
}

void XmlView::fail(const std::string& problem, const std::string& remedy) const {
  throw SceneError(file(), place(), problem, remedy);
}

std::string XmlView::text(const char* attribute) const {
  const char* value = m_element->Attribute(attribute);
  if (!value) fail(std::string("has no ") + attribute, std::string("add ") + attribute + "=\"…\"");
  if (std::string(value).find_first_not_of(kBlanks) == std::string::npos)
    fail(std::string(attribute) + " is empty", "give it a value");
  return value;
}

std::string XmlView::textOr(const char* attribute, const std::string& standard) const {
  return has(attribute) ? text(attribute) : standard;
}

std::vector<double> XmlView::numbers(const char* attribute, std::size_t minCount,
                                     std::size_t maxCount) const {
  const std::string value = text(attribute);
  std::vector<double> numbers;
  if (!numbersOf(value, numbers))
    fail(std::string(attribute) + " '" + shortened(value) + "' is not finite numbers",
         "write decimal numbers with a point, parted by blanks");
  if (numbers.size() < minCount || numbers.size() > maxCount)
    fail(
        std::string(attribute) + " has " + std::to_string(numbers.size()) + " numbers",
        "give " + std::to_string(minCount) + (maxCount == minCount ? "" : " to " + std::to_string(maxCount)));
  for (double entry : numbers)
    if (!(std::abs(entry) <= kLargestXmlNumber))
      fail(std::string(attribute) + " '" + shortened(value) + "' is beyond 1e9", "give SI units");
  return numbers;
}

double XmlView::positive(const char* attribute) const {
  const double value = number(attribute);
  if (!(value > 0)) fail(std::string(attribute) + " must be positive", "give a value above 0, in SI units");
  return value;
}

double XmlView::nonNegativeOr(const char* attribute, double standard) const {
  const double value = numberOr(attribute, standard);
  if (!(value >= 0)) fail(std::string(attribute) + " is negative", "give 0 or a value above it");
  return value;
}

Vec3 XmlView::vector(const char* attribute) const {
  const std::vector<double> values = numbers(attribute, 3, 3);
  return {values[0], values[1], values[2]};
}

bool XmlView::flagOr(const char* attribute, bool standard) const {
  const std::string word = textOr(attribute, standard ? "true" : "false");
  if (word != "true" && word != "false")
    fail(std::string(attribute) + " '" + shortened(word) + "' is unknown", "write true or false");
  return word == "true";
}

std::vector<XmlView> XmlView::children() const {
  std::vector<XmlView> found;
  for (auto* child = m_element->FirstChildElement(); child; child = child->NextSiblingElement())
    found.push_back(at(*child));
  return found;
}

std::vector<XmlView> XmlView::children(const char* tag) const {
  std::vector<XmlView> found;
  for (auto* child = m_element->FirstChildElement(tag); child; child = child->NextSiblingElement(tag))
    found.push_back(at(*child));
  return found;
}

void parseXml(const std::string& text, const std::string& path, tinyxml2::XMLDocument& document) {
  if (text.find('\0') != std::string::npos || !isUtf8(text))
    throw SceneError(path, "", "is not a text in UTF-8", "save it with that encoding");
  const std::string markup = withoutComments(text);
  if (markup.find("<!") != std::string::npos)
    throw SceneError(path, "", "declares a document type or entities, which are not expanded",
                     "remove <!DOCTYPE …>, and write the values where they are used");
  if (hasLongTag(markup))
    throw SceneError(path, "", "has an element with more than 1000 attributes", "use child elements");
  document.Parse(text.data(), text.size());
  if (!document.Error() && document.RootElement()) return;
  const std::string line = document.Error() ? "line " + std::to_string(document.ErrorLineNum()) : "";
  if (document.ErrorID() == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED)
    throw SceneError(path, line, "is nested too deeply", "remove levels of elements");
  throw SceneError(
      path, line,
      std::string("is no well-formed XML (") + tinyxml2::XMLDocument::ErrorIDToName(document.ErrorID()) + ")",
      "close its elements and quotes");
}

}  // namespace touchstone
