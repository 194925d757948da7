#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace touchstone {

/// Characters of a text of UTF-8, not bytes.
inline std::size_t widthOf(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; });
}
/// Spaces that fill a text up to a width; none for a wider text.
inline std::string fillOf(const std::string& text, std::size_t width) {
  return std::string(width > widthOf(text) ? width - widthOf(text) : 0, ' ');
}

/// Columns as wide as their widest cell, counted in characters of UTF-8, with two spaces between them.
/// @param indent  spaces before each line
inline std::string inColumns(const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0) {
  std::vector<std::size_t> widest;
  for (const auto& row : rows) {
    widest.resize(std::max(widest.size(), row.size()), 0);
    for (std::size_t column = 0; column < row.size(); ++column)
      widest[column] = std::max(widest[column], widthOf(row[column]));
  }
  std::string text;
  for (const auto& row : rows) {
    text += std::string(indent, ' ');
    for (std::size_t column = 0; column < row.size(); ++column) {
      text += row[column];
      if (column + 1 < row.size()) text += fillOf(row[column], widest[column] + 2);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace touchstone
