#include "core/files/csv_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>

namespace touchstone {

namespace {

// Bytes per read. A larger value only takes more memory; a smaller one makes reading slower.
constexpr std::size_t kCsvChunk = std::size_t(1) << 20;
// A larger value lets a wrong file fill the memory; a smaller one refuses long names.
constexpr std::size_t kMostRowBytes = std::size_t(1) << 20;

std::string_view withoutBlanks(std::string_view text) {
  const auto isBlank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

CsvReader::CsvReader(const std::string& path, const char* remedy) : m_path(path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw SceneError(path, "", "is no file that can be read", remedy);
  m_in.open(path, std::ios::binary);
  if (!m_in.is_open()) throw SceneError(path, "", "cannot be read", remedy);
  m_buffer.resize(kCsvChunk);
  fill();
  constexpr char kMark[] = "\xef\xbb\xbf";  // of UTF-8
  if (m_end >= 3 && std::memcmp(m_buffer.data(), kMark, 3) == 0) m_begin = 3;
}

SceneError CsvReader::error(int column, const std::string& problem, const std::string& remedy) const {
  return {m_path, std::to_string(m_line) + ":" + std::to_string(column), problem, remedy};
}

/// Moves the unread part to the front and reads more. @return false at the end of the file
bool CsvReader::fill() {
  if (m_atEnd) return false;
  std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
  m_end -= m_begin;
  m_begin = 0;
  if (m_buffer.size() - m_end < kCsvChunk / 2) m_buffer.resize(m_end + kCsvChunk);
  m_in.read(m_buffer.data() + m_end, static_cast<std::streamsize>(m_buffer.size() - m_end));
  m_end += m_in.gcount();
  m_atEnd = !m_in;
  if (m_in.bad()) throw SceneError(m_path, "", "cannot be read", "check the disk");
  return true;
}

bool CsvReader::next() {
  do {
    if (!takeRow()) return false;
  } while (withoutBlanks(m_row).empty());
  m_isComment = m_row.front() == '#';
  if (!m_isComment) split();
  return true;
}

/// Takes the bytes up to a line end that is not within quotes.
bool CsvReader::takeRow() {
  std::size_t length = 0;  // of what holds no such line end
  bool isInQuotes = false;
  m_isQuoted = false;
  long breaks = 0;
  while (true) {
    if (length > kMostRowBytes || (m_end - m_begin > 2 * kMostRowBytes && length == 0 &&
                                   !std::memchr(m_buffer.data() + m_begin, '\n', kMostRowBytes))) {
      m_line = m_nextLine;
      throw error(1, "is longer than 1 MiB", "give one row per body and time, and close every quote");
    }
    const char* start = m_buffer.data() + m_begin + length;
    const std::size_t rest = m_end - m_begin - length;
    const auto* found = rest > 0 ? static_cast<const char*>(std::memchr(start, '\n', rest)) : nullptr;
    if (!found && fill()) continue;
    const std::size_t part = found ? found - start : rest;
    const bool isComment = length == 0 && part > 0 && *start == '#';
    if (!isComment && part > 0 && std::memchr(start, '"', part)) {
      m_isQuoted = true;
      isInQuotes = isInQuotes != (std::count(start, start + part, '"') % 2 != 0);
    }
    length += part;
    if (!found || !isInQuotes) break;
    ++length;  // the line end belongs to a cell
    ++breaks;
  }
  if (m_begin == m_end) return false;
  m_line = m_nextLine;
  m_nextLine += breaks + 1;
  if (isInQuotes) throw error(1, "has a quote that is not closed", "close it, and double quotes in names");
  m_row = std::string_view(m_buffer.data() + m_begin, length);
  m_begin = std::min(m_end, m_begin + length + 1);
  if (!m_row.empty() && m_row.back() == '\r') m_row.remove_suffix(1);
  return true;
}

void CsvReader::split() {
  m_cells.clear();
  if (m_isQuoted) return unquote();
  const char *const begin = m_row.data(), *const end = begin + m_row.size();
  for (const char* cell = begin;;) {
    const auto* comma = static_cast<const char*>(std::memchr(cell, ',', end - cell));
    const char* cellEnd = comma ? comma : end;
    m_cells.push_back({std::string_view(cell, cellEnd - cell), static_cast<int>(cell - begin) + 1});
    if (!comma) return;
    cell = comma + 1;
  }
}

void CsvReader::unquote() {
  m_unquoted.clear();
  m_unquoted.reserve(m_row.size());  // so that texts stay where they are
  std::size_t place = 0;
  std::size_t lineStart = 0;
  while (true) {
    const int column = static_cast<int>(place - lineStart) + 1;
    const std::size_t first = m_unquoted.size();
    const bool isQuoted = place < m_row.size() && m_row[place] == '"';
    if (isQuoted) ++place;
    for (; place < m_row.size(); ++place) {
      if (m_row[place] == '"') {
        if (!isQuoted) throw error(column, "has a quote within a cell", "put the whole cell into quotes");
        if (place + 1 < m_row.size() && m_row[place + 1] == '"') {
          ++place;
        } else {
          ++place;
          break;
        }
      } else if (!isQuoted && m_row[place] == ',') {
        break;
      } else if (m_row[place] == '\n') {
        lineStart = place + 1;
      }
      m_unquoted.push_back(m_row[place]);
    }
    if (isQuoted && place < m_row.size() && m_row[place] != ',')
      throw error(column, "has text behind a quoted cell", "double the quotes within a name");
    m_cells.push_back({std::string_view(m_unquoted.data() + first, m_unquoted.size() - first), column});
    if (place >= m_row.size()) return;
    ++place;  // the comma
  }
}

double CsvReader::number(const Cell& cell) const {
  std::string_view text = withoutBlanks(cell.text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = NAN;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isWhole = result.ptr == text.data() + text.size();
  if (result.ec == std::errc::result_out_of_range && isWhole) {  // too small for a double, or too large
    const std::size_t exponent = text.find_first_of("eE");
    const bool isSmall = exponent != std::string_view::npos && exponent + 1 < text.size()
                             ? text[exponent + 1] == '-'
                             : text.find_first_not_of("-0.") > text.find('.');
    if (isSmall) return 0;
  } else if (result.ec == std::errc() && isWhole && std::isfinite(value)) {
    return value;
  }
  throw error(cell.column, "'" + std::string(text.substr(0, 40)) + "' is not a finite number",
              "write a number such as -0.25 or 1e-3 in every cell");
}

}  // namespace touchstone
