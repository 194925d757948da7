#pragma once

#include <string>
#include <vector>

#include "core/conform/card_texts.h"

namespace touchstone {

/// A card.json of elsewhere, checked against a battery.
struct CardFile {
  Card card;
  /// One line for each contradiction, with phenomenon, measure and column: another version of the battery, a
  /// scene, answer or tolerance that is not of this battery, a run, number or cell that is missing or there
  /// twice, and a verdict or cell that does not follow from its own numbers.
  std::vector<std::string> contradictions;
  /// Models that cannot be recomputed, one line each: those of engines that this program lacks.
  std::vector<std::string> notes;
};
/// @param battery  of this program
/// @throws SceneError with file and field for what is no card.json of schema kCardSchema
CardFile readCardFile(const std::string& path, const std::vector<Phenomenon>& battery);

/// The numbers of a card.csv as a card of these phenomena; reasons and frames that are not ok are not known.
Card cardOf(const std::vector<EarlierNumber>& numbers, const std::vector<Phenomenon>& phenomena,
            ConformSettings settings);

/// A card with the columns of both, those of `ours` named "ours: COLUMN". Phenomena are those of `card`.
Card besides(const Card& card, const Card& ours);

}  // namespace touchstone
