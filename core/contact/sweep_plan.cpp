#include "core/contact/sweep_plan.h"

#include <algorithm>
#include <cstdint>

#include "core/contact/islands.h"

namespace touchstone {

namespace {

constexpr int kPairsPerChunk = 128;
constexpr int kBits = 64;

/// The colours of each body's pairs.
class TakenColours {
 public:
  explicit TakenColours(std::size_t bodies) : m_words(bodies) {}
  /// The lowest colour that neither body has; both have it from then on. −1: no body.
  int take(int bodyA, int bodyB) {
    for (std::size_t word = 0;; ++word) {
      const std::uint64_t taken = wordOf(bodyA, word) | wordOf(bodyB, word);
      if (~taken == 0) continue;
      int bit = 0;
      while (taken >> bit & 1) ++bit;
      for (int body : {bodyA, bodyB})
        if (body >= 0) {
          if (m_words[body].size() <= word) m_words[body].resize(word + 1);
          m_words[body][word] |= std::uint64_t{1} << bit;
        }
      return static_cast<int>(word) * kBits + bit;
    }
  }

 private:
  std::uint64_t wordOf(int body, std::size_t word) const {
    return body >= 0 && word < m_words[body].size() ? m_words[body][word] : 0;
  }
  std::vector<std::vector<std::uint64_t>> m_words;
};

/// Places of `order` by island, and the chunks of each.
void chunk(SweepPlan& plan) {
  std::vector<std::vector<int>> places(static_cast<std::size_t>(plan.islandCount));
  for (std::size_t place = 0; place < plan.order.size(); ++place)
    places[plan.island[place]].push_back(static_cast<int>(place));
  plan.firstOfChunk.push_back(0);
  plan.firstChunk.push_back(0);
  for (const std::vector<int>& own : places) {
    for (std::size_t first = 0; first < own.size(); first += kPairsPerChunk) {
      const std::size_t end = std::min(own.size(), first + kPairsPerChunk);
      plan.chunkPlaces.insert(plan.chunkPlaces.end(), own.begin() + static_cast<long>(first),
                              own.begin() + static_cast<long>(end));
      plan.firstOfChunk.push_back(static_cast<int>(plan.chunkPlaces.size()));
    }
    plan.firstChunk.push_back(static_cast<int>(plan.firstOfChunk.size()) - 1);
  }
}

}  // namespace

SweepPlan planSweeps(const World& world, const std::vector<std::array<int, 2>>& pairs) {
  const auto moving = [&world](int body) { return isDynamic(world, body) ? body : -1; };
  SweepPlan plan;
  Islands islands(world);
  TakenColours taken(world.position.size());
  std::vector<std::vector<int>> colours;
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    const auto [a, b] = pairs[pair];
    islands.connect(a, b);
    const std::size_t colour = static_cast<std::size_t>(taken.take(moving(a), moving(b)));
    if (colour >= colours.size()) colours.resize(colour + 1);
    colours[colour].push_back(static_cast<int>(pair));
  }
  std::vector<int> islandOfPair;
  plan.islandOfBody.assign(world.position.size(), -1);
  for (const auto& [a, b] : pairs) {
    islandOfPair.push_back(islands.of(a, b));
    for (int body : {moving(a), moving(b)})
      if (body >= 0) plan.islandOfBody[body] = islandOfPair.back();
  }
  plan.islandCount = islands.count();
  plan.firstOfColour.push_back(0);
  for (const std::vector<int>& colour : colours) {
    plan.order.insert(plan.order.end(), colour.begin(), colour.end());
    plan.firstOfColour.push_back(static_cast<int>(plan.order.size()));
  }
  for (int pair : plan.order) plan.island.push_back(islandOfPair[pair]);
  chunk(plan);
  return plan;
}

}  // namespace touchstone
