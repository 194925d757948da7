#pragma once

#include <cstdint>

#include "core/parallel/list.h"
#include "core/parallel/reduce.h"
#include "core/solver/rows/carrier_incidence.inl"

namespace touchstone {

namespace detail {

constexpr int kColoursPerWord = 64;
constexpr int kRoundsOfColours =
    8;  // rounds between two tests whether all have a colour. More: rounds for nothing; fewer: more waits

/// Which colours the pairs of each body have: a bit each, in words.
struct TakenColours {
  const int* firstWord;  // [bodyCount + 1]
  std::uint64_t* words;
  int* fullWords;  // [bodyCount] words at the beginning without a free bit

  TS_HD void take(int body, int colour) const {
    std::uint64_t* bodyWords = words + firstWord[body];
    bodyWords[colour / kColoursPerWord] |= std::uint64_t{1} << (colour % kColoursPerWord);
    const int count = firstWord[body + 1] - firstWord[body];
    while (fullWords[body] < count && ~bodyWords[fullWords[body]] == 0) ++fullWords[body];
  }
  /// The lowest colour that neither has. @param other  −1: none
  TS_HD int lowestFree(int body, int other) const {
    int word = fullWords[body];
    if (other >= 0 && fullWords[other] > word) word = fullWords[other];
    for (;; ++word) {
      std::uint64_t taken = words[firstWord[body] + word];
      if (other >= 0) taken |= words[firstWord[other] + word];
      if (~taken == 0) continue;
      int bit = 0;
      while (taken >> bit & 1) ++bit;
      return word * kColoursPerWord + bit;
    }
  }
};

struct CountWords {  // one body per index: a pair's colour is below the pairs of its bodies together
  CarrierIncidence sides;
  int* counts;
  TS_HD void operator()(int body) const {
    int maximum = 0;
    for (int place = sides.first[body]; place < sides.first[body + 1]; ++place) {
      const int other = sides.otherAt(place);
      const int colours = sides.count(body) + (other >= 0 ? sides.count(other) : 0);
      if (colours > maximum) maximum = colours;
    }
    counts[body] = (maximum + kColoursPerWord - 1) / kColoursPerWord;
  }
};

struct StartColours {  // one body per index
  CarrierIncidence sides;
  int *next, *fullWords;
  TS_HD void operator()(int body) const {
    next[body] = sides.first[body];
    fullWords[body] = 0;
  }
};

struct FindReadyPair {  // one body per index
  CarrierIncidence sides;
  const int* next;  // [bodyCount] the place of its first side without a colour
  int* ready;       // out: the pair whose turn it is with both bodies, at the lower of them; or −1
  TS_HD void operator()(int body) const {
    ready[body] = -1;
    if (next[body] == sides.first[body + 1]) return;
    const int pair = sides.pairAt(next[body]), other = sides.otherAt(next[body]);
    if (other >= 0 && (other < body || sides.pairAt(next[other]) != pair)) return;
    ready[body] = pair;
  }
};

struct ColourReadyPair {  // one body per index
  const IndexPair* moving;
  const int* ready;
  TakenColours taken;
  int *next, *colour;
  TS_HD void operator()(int body) const {
    const int pair = ready[body];
    if (pair < 0) return;
    const int other = moving[pair].first == body ? moving[pair].second : moving[pair].first;
    colour[pair] = taken.lowestFree(body, other);
    note(body, pair);
    if (other >= 0) note(other, pair);
  }

 private:
  TS_HD void note(int body, int pair) const {
    taken.take(body, colour[pair]);
    ++next[body];
  }
};

/// Rounds of both until all pairs have a colour, by one group.
struct ColourTogether {
  FindReadyPair find;
  ColourReadyPair colour;
  int bodyCount, pairCount;
  int* partials;  // [sumsOf(pairCount)] out: the largest colour first, where there are two pairs
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int) const {
    const int* const colours = colour.colour;
    for (bool isLeft = true; isLeft;) {
      for (int round = 0; round < kRoundsOfColours; ++round) {
        group.forEach(bodyCount, find);
        group.forEach(bodyCount, colour);
      }
      isLeft = group.together(*reducedByGroup(group, colours, partials, pairCount, Smaller{}) < 0);
    }
    reducedByGroup(group, colours, partials, pairCount, Larger{});
  }
};

}  // namespace detail

/// A colour for each pair such that pairs of one colour share no moving body: the lowest that no pair before
/// it has with which it shares one. A pair gets its colour when all those before it have theirs: the same
/// colours as one after the other, in as many rounds as the longest such sequence has pairs.
template <class Backend>
class PairColours {
 public:
  /// Waits. @param sides  of `bodyCount` bodies in `pairCount` pairs
  void find(const Backend& backend, const detail::CarrierIncidence& sides, int bodyCount, int pairCount) {
    const std::size_t bodies = bodyCount;
    for (Array<int>* array : {&m_next, &m_ready, &m_fullWords}) array->resize(bodies);
    m_firstWord.resize(bodies + 1);
    forEach(backend, bodyCount, detail::CountWords{sides, m_firstWord.data()});
    const int words = offsetsOf(backend, bodyCount, m_firstWord.data());
    m_words.resize(words);
    fill(backend, m_words.data(), words, std::uint64_t{0});
    m_colour.resize(pairCount);
    fill(backend, m_colour.data(), pairCount, -1);
    forEach(backend, bodyCount, detail::StartColours{sides, m_next.data(), m_fullWords.data()});
    const detail::TakenColours taken{m_firstWord.data(), m_words.data(), m_fullWords.data()};
    const detail::FindReadyPair find{sides, m_next.data(), m_ready.data()};
    const detail::ColourReadyPair colour{sides.moving, m_ready.data(), taken, m_next.data(), m_colour.data()};
    const int* colours = m_colour.data();
    m_count = 0;
    if (pairCount == 0) return;
    const auto together = [&](const auto& device) {
      m_partials.resize(sumsOf(pairCount));
      device.runGroups(1, bodyCount,
                       detail::ColourTogether{find, colour, bodyCount, pairCount, m_partials.data()});
      device.download(pairCount > 1 ? m_partials.data() : colours, 1, &m_count);
      ++m_count;
    };
    if (runAsOneGroup(backend, bodyCount, pairCount, together)) return;
    do {
      for (int round = 0; round < detail::kRoundsOfColours; ++round) {
        forEach(backend, bodyCount, find);
        forEach(backend, bodyCount, colour);
      }
    } while (reduced(backend, colours, pairCount, 0, Smaller{}, m_partials) < 0);
    m_count = reduced(backend, colours, pairCount, -1, Larger{}, m_partials) + 1;
  }
  /// [pairCount] 0 … count() − 1
  const int* colours() const { return m_colour.data(); }
  int count() const { return m_count; }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  Array<int> m_next, m_ready, m_fullWords, m_firstWord, m_colour, m_partials;
  Array<std::uint64_t> m_words;
  int m_count = 0;
};

}  // namespace touchstone
