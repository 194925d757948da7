#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/scene_error.h"

namespace touchstone {

/// Reads a table of comma separated values (RFC 4180, UTF-8) row by row, whatever its length, in little
/// memory. Empty lines are left out. A line that begins with # is a comment. A quoted cell may hold commas,
/// doubled quotes and line breaks.
class CsvReader {
 public:
  struct Cell {
    std::string_view text;  ///< without the quotes around it; valid until next()
    int column = 1;         ///< of its first character in its line, counted from 1
  };

  /// @param remedy  advice if the file cannot be read   @throws SceneError
  CsvReader(const std::string& path, const char* remedy);

  /// Goes to the next row or comment. @return false at the end   @throws SceneError
  bool next();
  bool isComment() const { return m_isComment; }
  std::string_view comment() const { return m_row; }          ///< with its #
  const std::vector<Cell>& cells() const { return m_cells; }  ///< of a row
  long line() const { return m_line; }                        ///< of the row, counted from 1
  const std::string& path() const { return m_path; }

  /// The number in a cell, as strtod() in the C locale reads it. @throws SceneError if it is not finite
  double number(const Cell& cell) const;
  /// "path:LINE:COLUMN: problem; remedy"
  SceneError error(int column, const std::string& problem, const std::string& remedy) const;

 private:
  bool takeRow();
  bool fill();
  void split();
  void unquote();

  std::string m_path;
  std::ifstream m_in;
  std::vector<char> m_buffer;
  std::size_t m_begin = 0, m_end = 0;  ///< unread part of the buffer
  bool m_atEnd = false;
  std::string_view m_row;  ///< without its line end
  bool m_isComment = false, m_isQuoted = false;
  long m_line = 0, m_nextLine = 1;
  std::vector<Cell> m_cells;
  std::vector<char> m_unquoted;  ///< texts of cells with quotes
};

}  // namespace touchstone
