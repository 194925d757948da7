#include "core/files/nearest_names.h"

#include <algorithm>
#include <utility>

namespace touchstone {

std::size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> nearestNames(const std::string& word, const std::vector<std::string>& known,
                                      std::size_t count) {
  // Letters of a name that are compared. More cost time on a damaged file; fewer do not tell names apart.
  constexpr std::size_t kMost = 100;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // distance, index
  for (std::size_t index = 0; index < known.size(); ++index)
    places.push_back({editDistance(word.substr(0, kMost), known[index].substr(0, kMost)), index});
  std::sort(places.begin(), places.end());
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(count, places.size()); ++k) names.push_back(known[places[k].second]);
  return names;
}

}  // namespace touchstone
