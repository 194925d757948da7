#include "core/files/text_forms.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>

#include "core/files/scene_error.h"

namespace touchstone {

namespace {

// File systems allow 255 bytes for all parts of a name. A larger value makes names that cannot be created; a
// smaller one cuts more names.
constexpr std::size_t kLongestName = 100;

// Not std::isalnum, because it depends on the locale.
bool isLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isPlain(char c) { return isLetterOrDigit(c) || c == '-' || c == '_'; }

}  // namespace

bool isPlainName(const std::string& text) {
  return !text.empty() && text.size() <= kLongestName && std::all_of(text.begin(), text.end(), isPlain);
}

std::string plainName(const std::string& text) {
  std::string name;
  for (char c : text) {
    if (isPlain(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
    if (name.size() == kLongestName) break;
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "x" : name;
}

std::string xmlText(const std::string& text) {
  std::string escaped;
  for (std::size_t index = 0; index < text.size(); ++index) switch (const char c = text[index]) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        if (text.compare(index, 3, "\xEF\xBF\xBE") == 0 || text.compare(index, 3, "\xEF\xBF\xBF") == 0) {
          escaped += ' ';  // U+FFFE and U+FFFF
          index += 2;
        } else {
          escaped += static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r' ? ' ' : c;
        }
    }
  return escaped;
}

std::string texText(const std::string& text) {
  static const std::map<char, const char*> kSpecial = {{'\\', "\\textbackslash{}"},
                                                       {'^', "\\textasciicircum{}"},
                                                       {'~', "\\textasciitilde{}"},
                                                       {'<', "\\textless{}"},
                                                       {'>', "\\textgreater{}"},
                                                       {'|', "\\textbar{}"},
                                                       {'"', "{''}"},
                                                       {'#', "\\#"},
                                                       {'$', "\\$"},
                                                       {'%', "\\%"},
                                                       {'&', "\\&"},
                                                       {'_', "\\_"},
                                                       {'{', "\\{"},
                                                       {'}', "\\}"},
                                                       {'\n', " "}};
  // Signs of units and numbers that plain LaTeX cannot read.
  static const std::pair<const char*, const char*> kSigns[] = {
      {"°", "$^\\circ$"}, {"³", "$^3$"},      {"²", "$^2$"}, {"·", "$\\cdot$"},
      {"⁻", "$^-$"},      {"×", "$\\times$"}, {"–", "--"},   {"≤", "$\\leq$"}};
  std::string tex;
  for (const char c : printable(text)) {
    const auto special = kSpecial.find(c);
    if (special == kSpecial.end())
      tex += c;
    else
      tex += special->second;
  }
  for (const auto& [sign, with] : kSigns)
    for (std::size_t place = tex.find(sign); place != std::string::npos; place = tex.find(sign, place + 1))
      tex.replace(place, std::string(sign).size(), with);
  return tex;
}

std::string fourDigits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string fileUri(const std::string& path, const std::string& query) {
  std::string uri = "file://";
  for (char c : std::filesystem::absolute(path).string()) {
    if (isPlain(c) || c == '/' || c == '.' || c == '~') {
      uri += c;
      continue;
    }
    char code[4];
    std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(c));
    uri += code;
  }
  return query.empty() ? uri : uri + "?" + query;
}

std::string csvNumber(double value) {
  if (std::isnan(value)) return {};
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

std::string csvVector(const Vec3& v) {
  return ',' + csvNumber(v.x()) + ',' + csvNumber(v.y()) + ',' + csvNumber(v.z());
}

std::string csvText(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string lowerExtensionOf(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return extension;
}

std::string formatted(const char* pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

}  // namespace touchstone
