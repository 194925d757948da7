#pragma once

#include <stdexcept>
#include <string>

namespace touchstone {

/// Text of a file for use in a message. Control characters except the line end become "\u0000", so that a
/// zero does not end the message and an escape sequence does not affect a terminal.
inline std::string printable(const std::string& text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n' || (code >= 0x20 && code != 0x7f))
      shown += c;
    else
      shown += std::string("\\u00") + kHex[code >> 4] + kHex[code & 15];
  }
  return shown;
}

/// Bad input. what() reads `file:field: problem; remedy`.
class SceneError : public std::runtime_error {
 public:
  SceneError(const std::string& file, const std::string& field, const std::string& problem,
             const std::string& remedy)
      : std::runtime_error(file + (field.empty() ? "" : ":" + printable(field)) + ": " + printable(problem) +
                           "; " + remedy) {}
};

}  // namespace touchstone
