#pragma once

#include <string>
#include <vector>

#include "core/conform/conformance.h"

namespace touchstone {

/// The card for a terminal: a table of signs with the primary numbers, then what failed and why.
std::string textOf(const Card& card);
/// One line per measure and column, with all that a cell is made of; of the effort that of the measure's last
/// run, the processor time as the last cell.
std::string csvOf(const Card& card);
/// Version of the form of card.json, described by datasets/card.schema.json.
constexpr int kCardSchema = 2;
/// The same for programs.
std::string jsonOf(const Card& card);
/// A page that needs no other file and no script: the matrix, and for each phenomenon its numbers, curves and
/// the commands that repeat its runs. Signs and words tell verdicts, colours only help.
/// @param command  repeats the whole card
std::string htmlOf(const Card& card, const std::string& command);
/// A plain tabular for the article class, sign and number per cell.
std::string texOf(const Card& card);
/// A number of an earlier card: csvOf(), whose other columns are not compared.
struct EarlierNumber {
  std::string phenomenon, measure, run, column, verdict;
  std::string battery;              ///< version; empty: not told
  std::string engine;               ///< of a column of another program, with its version; else empty
  double value = 0, tolerance = 0;  ///< not a number: none
};
/// @throws SceneError with file, line and column if the file is no such card, or has a number twice
std::vector<EarlierNumber> readCard(const std::string& file);

/// Comparison of a card with an earlier one.
struct CardComparison {
  std::size_t compared = 0;          ///< numbers that both have
  std::vector<std::string> changes;  ///< one line each
  std::vector<std::string> skipped;  ///< one line each: columns of another version of their engine
  bool isAsExpected() const { return (compared > 0 || !skipped.empty()) && changes.empty(); }
};
/// Compares every number of this card with the earlier one, and the other way round for the phenomena and
/// columns of this card. A change is another verdict, value (by more than the tolerance of this card) or
/// tolerance, a number that only one of the two has, and another version of the battery. Columns of engines
/// whose version is another one are left out.
CardComparison comparedWith(const std::vector<EarlierNumber>& earlier, const Card& card);

}  // namespace touchstone
