#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace touchstone {

/// Levenshtein distance of two words: the least number of letters to change, insert or leave out.
std::size_t editDistance(const std::string& a, const std::string& b);

/// The known names that are nearest to a word, at most `count`, nearest first.
std::vector<std::string> nearestNames(const std::string& word, const std::vector<std::string>& known,
                                      std::size_t count);

}  // namespace touchstone
