#include "core/files/json_file.h"

#include <algorithm>
#include <set>
#include <vector>

#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"

namespace touchstone {

namespace {

using nlohmann::json;

/// A larger value lets nested files exhaust the stack; a smaller one refuses deeply nested files.
constexpr int kMaxDepth = 32;

/// "at line 3, column 7" of a byte.
std::string placeOf(const std::string& text, std::size_t byte) {
  const std::size_t end = std::min(text.size(), byte);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  const std::size_t start = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  const std::size_t column = end - (start == std::string::npos ? 0 : start + 1) + 1;
  return "at line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

json parseJson(const std::string& text, const std::string& file) {
  const std::size_t zero = text.find('\0');
  if (zero != std::string::npos)
    throw SceneError(file, "", "holds a zero character " + placeOf(text, zero), "save it as plain text");
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first != std::string::npos && text[first] == '<')
    throw SceneError(file, "", "is XML, not JSON",
                     "models of other programs (URDF, MJCF, SDF) are not read; write a scene in JSON "
                     "(datasets/README.md)");
  std::vector<std::set<std::string>> keys;
  const json::parser_callback_t watch = [&](int level, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if (level > kMaxDepth) throw SceneError(file, "", "is nested deeper than 32 levels", "simplify it");
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw SceneError(file, parsed.get<std::string>(), "appears twice in one object",
                       "remove one of the two");
    return true;
  };
  try {
    return json::parse(text, watch);
  } catch (const json::parse_error& error) {
    throw SceneError(file, "", "is no valid JSON " + placeOf(text, error.byte > 0 ? error.byte - 1 : 0),
                     "complete or correct the text there");
  } catch (const json::out_of_range& error) {
    // The library quotes the number last.
    const std::string said = error.what();
    const std::size_t begin = said.find('\''), end = said.rfind('\'');
    const std::string number = begin < end ? said.substr(begin + 1, end - begin - 1) : "a number";
    throw SceneError(file, "", "has " + number + ", a number beyond the range of double",
                     "correct that value");
  } catch (const json::exception&) {
    throw SceneError(file, "", "is no valid JSON", "correct the text");
  }
}

json readJson(const std::string& path, const char* remedy) { return parseJson(readFile(path, remedy), path); }

}  // namespace touchstone
