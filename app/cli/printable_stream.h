#pragma once

#include <cstdio>
#include <ostream>
#include <streambuf>
#include <string>

namespace touchstone::cli {

/// Makes a stream print control characters as \u001b, during the lifetime of the object: texts of files reach
/// the terminal in many places, and none may act on it.
class PrintableStream : public std::streambuf {
 public:
  explicit PrintableStream(std::ostream& stream) : m_stream(stream), m_target(stream.rdbuf(this)) {}
  ~PrintableStream() override { m_stream.rdbuf(m_target); }
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

 protected:
  int_type overflow(int_type letter) override {
    if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
    const char one = traits_type::to_char_type(letter);
    return xsputn(&one, 1) == 1 ? letter : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    std::string shown;
    for (std::streamsize index = 0; index < count; ++index) {
      const auto code = static_cast<unsigned char>(text[index]);
      const bool isUpperControl = m_isAfterC2 && code >= 0x80 && code < 0xa0;  // U+0080 to U+009F
      const bool isControl = (code < 0x20 && code != '\n' && code != '\t') || code == 0x7f || isUpperControl;
      if (m_isAfterC2 && !isUpperControl) shown += '\xc2';
      m_isAfterC2 = code == 0xc2;
      if (isControl)
        appendCode(code, shown);
      else if (!m_isAfterC2)
        shown += text[index];
    }
    const auto length = static_cast<std::streamsize>(shown.size());
    return m_target->sputn(shown.data(), length) == length ? count : 0;
  }
  int sync() override { return m_target->pubsync(); }

 private:
  static void appendCode(unsigned char code, std::string& shown) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
    shown += escaped;
  }
  std::ostream& m_stream;
  std::streambuf* m_target;
  bool m_isAfterC2 = false;  ///< the first byte of a letter is kept until the second comes
};

}  // namespace touchstone::cli
