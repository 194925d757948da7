#pragma once

#include <string>
#include <vector>

#include "core/conform/conformance.h"

namespace touchstone {

/// The card for a terminal: a table of signs with the primary numbers, then what failed and why.
std::string textOf(const Card& card);
/// One line per measure and column, with all that a cell is made of.
std::string csvOf(const Card& card);
/// The same for programs.
std::string jsonOf(const Card& card);
/// A page that needs no other file and no script: the matrix, and for each phenomenon its numbers, curves and
/// the commands that repeat its runs. Signs and words tell verdicts, colours only help.
/// @param command  repeats the whole card
std::string htmlOf(const Card& card, const std::string& command);
/// A plain tabular for the article class, sign and number per cell.
std::string texOf(const Card& card);
/// What differs between an earlier card (csvOf()) and this one in phenomena and columns that both have: a
/// verdict, or a number by more than its tolerance. One line each.
/// @throws SceneError if the file is no such card
std::vector<std::string> changesSince(const std::string& file, const Card& card);

/// The lines of a table: cells by RFC 4180. @throws SceneError naming the line
std::vector<std::vector<std::string>> cellsOfCsv(const std::string& file, const std::string& text);

}  // namespace touchstone
