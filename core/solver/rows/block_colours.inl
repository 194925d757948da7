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

/// Which colours the blocks of each carrier have: a bit each, in words.
struct TakenColours {
  const int* firstWord;  // [carrierCount + 1]
  std::uint64_t* words;
  int* fullWords;  // [carrierCount] words at the beginning without a free bit

  TS_HD void take(int carrier, int colour) const {
    std::uint64_t* taken = words + firstWord[carrier];
    taken[colour / kColoursPerWord] |= std::uint64_t{1} << (colour % kColoursPerWord);
    const int count = firstWord[carrier + 1] - firstWord[carrier];
    while (fullWords[carrier] < count && ~taken[fullWords[carrier]] == 0) ++fullWords[carrier];
  }
  /// The lowest colour that none of some carriers has.
  TS_HD int lowestFree(const int* begin, const int* end) const {
    int word = 0;
    for (const int* carrier = begin; carrier != end; ++carrier)
      if (fullWords[*carrier] > word) word = fullWords[*carrier];
    for (;; ++word) {
      std::uint64_t taken = 0;
      for (const int* carrier = begin; carrier != end; ++carrier) taken |= words[firstWord[*carrier] + word];
      if (~taken == 0) continue;
      int bit = 0;
      while (taken >> bit & 1) ++bit;
      return word * kColoursPerWord + bit;
    }
  }
};

struct CountWords {  // one carrier per index: a block's colour is below the blocks of its carriers together
  CarrierIncidence sides;
  int* counts;
  TS_HD void operator()(int carrier) const {
    int maximum = 0;
    for (int place = sides.first[carrier]; place < sides.first[carrier + 1]; ++place) {
      const int block = sides.blockAt(place);
      int colours = 0;
      for (const int* other = sides.begin(block); other != sides.end(block); ++other)
        colours += sides.count(*other);
      if (colours > maximum) maximum = colours;
    }
    counts[carrier] = (maximum + kColoursPerWord - 1) / kColoursPerWord;
  }
};

struct StartColours {  // one carrier per index
  CarrierIncidence sides;
  int *next, *fullWords;
  TS_HD void operator()(int carrier) const {
    next[carrier] = sides.first[carrier];
    fullWords[carrier] = 0;
  }
};

struct FindReadyBlock {  // one carrier per index
  CarrierIncidence sides;
  const int* next;  // [carrierCount] the place of its first side without a colour
  int* ready;       // out: the block whose turn it is with all its carriers, at the first of them; or −1
  TS_HD void operator()(int carrier) const {
    ready[carrier] = -1;
    if (next[carrier] == sides.first[carrier + 1]) return;
    const int block = sides.blockAt(next[carrier]);
    if (sides.anyOf(block) != carrier) return;
    for (const int* other = sides.begin(block); other != sides.end(block); ++other)
      if (sides.blockAt(next[*other]) != block) return;
    ready[carrier] = block;
  }
};

struct ColourReadyBlock {  // one carrier per index
  CarrierIncidence sides;
  const int* ready;
  TakenColours taken;
  int *next, *colour;
  TS_HD void operator()(int carrier) const {
    const int block = ready[carrier];
    if (block < 0) return;
    const int *begin = sides.begin(block), *end = sides.end(block);
    colour[block] = taken.lowestFree(begin, end);
    for (const int* other = begin; other != end; ++other) {
      taken.take(*other, colour[block]);
      ++next[*other];
    }
  }
};

/// Rounds of both until all blocks have a colour, by one group.
struct ColourTogether {
  FindReadyBlock find;
  ColourReadyBlock colour;
  int carrierCount, blockCount;
  int* partials;  // [sumsOf(blockCount)] out: the largest colour first, where there are two blocks
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int) const {
    const int* const colours = colour.colour;
    for (bool isLeft = true; isLeft;) {
      for (int round = 0; round < kRoundsOfColours; ++round) {
        group.forEach(carrierCount, find);
        group.forEach(carrierCount, colour);
      }
      isLeft = group.together(*reducedByGroup(group, colours, partials, blockCount, Smaller{}) < 0);
    }
    reducedByGroup(group, colours, partials, blockCount, Larger{});
  }
};

}  // namespace detail

/// A colour for each block such that blocks of one colour share no carrier: the lowest that no block before
/// it has with which it shares one. A block gets its colour when all those before it have theirs: the same
/// colours as one after the other, in as many rounds as the longest such sequence has blocks.
template <class Backend>
class BlockColours {
 public:
  /// Waits. @param sides  of `carrierCount` carriers in `blockCount` blocks
  void find(const Backend& backend, const detail::CarrierIncidence& sides, int carrierCount, int blockCount) {
    for (Array<int>* array : {&m_next, &m_ready, &m_fullWords}) array->resize(carrierCount);
    m_firstWord.resize(carrierCount + 1);
    forEach(backend, carrierCount, detail::CountWords{sides, m_firstWord.data()});
    const int words = offsetsOf(backend, carrierCount, m_firstWord.data());
    m_words.resize(words);
    fill(backend, m_words.data(), words, std::uint64_t{0});
    m_colour.resize(blockCount);
    fill(backend, m_colour.data(), blockCount, -1);
    forEach(backend, carrierCount, detail::StartColours{sides, m_next.data(), m_fullWords.data()});
    const detail::TakenColours taken{m_firstWord.data(), m_words.data(), m_fullWords.data()};
    const detail::FindReadyBlock find{sides, m_next.data(), m_ready.data()};
    const detail::ColourReadyBlock colour{sides, m_ready.data(), taken, m_next.data(), m_colour.data()};
    const int* colours = m_colour.data();
    m_count = 0;
    if (blockCount == 0) return;
    const auto together = [&](const auto& device) {
      m_partials.resize(sumsOf(blockCount));
      device.runGroups(1, carrierCount,
                       detail::ColourTogether{find, colour, carrierCount, blockCount, m_partials.data()});
      device.download(blockCount > 1 ? m_partials.data() : colours, 1, &m_count);
      ++m_count;
    };
    if (runAsOneGroup(backend, carrierCount, blockCount, together)) return;
    do {
      for (int round = 0; round < detail::kRoundsOfColours; ++round) {
        forEach(backend, carrierCount, find);
        forEach(backend, carrierCount, colour);
      }
    } while (reduced(backend, colours, blockCount, 0, Smaller{}, m_partials) < 0);
    m_count = reduced(backend, colours, blockCount, -1, Larger{}, m_partials) + 1;
  }
  /// [blockCount] 0 … count() − 1
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
