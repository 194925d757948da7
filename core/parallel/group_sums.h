#pragma once

#include <algorithm>
#include <cstddef>

#include "core/parallel/grouping.h"
#include "core/parallel/list.h"
#include "core/parallel/sum.h"

namespace touchstone {

namespace detail {

/// Sum of at most kTermsPerSum terms of a group, from `begin` on.
template <class Term>
TS_HD typename Term::Sum sumOfPart(const Term& term, int group, int begin, int end) {
  typename Term::Sum sum{};
  for (int place = begin; place < end && place < begin + kTermsPerSum; ++place) sum += term(group, place);
  return sum;
}

struct CountParts {  // one group per index
  const int* first;
  int* counts;
  TS_HD void operator()(int group) const { counts[group] = sumsOf(first[group + 1] - first[group]); }
};

template <class Term>
struct SumPart {                 // one part per index; indices beyond the last part do nothing
  const int *first, *firstPart;  // [groupCount + 1]
  int groupCount;
  Term term;
  typename Term::Sum* sums;
  TS_HD void operator()(int part) const {
    if (part >= firstPart[groupCount]) return;
    const int group = rangeOf(firstPart, groupCount, part);
    if (!term.isWanted(group)) return;
    const int begin = first[group] + (part - firstPart[group]) * kTermsPerSum;
    sums[part] = sumOfPart(term, group, begin, first[group + 1]);
  }
};

template <class Term, class Use>
struct UseSumOfParts {  // one group per index
  const int* firstPart;
  Term term;
  const typename Term::Sum* sums;
  Use use;
  TS_HD void operator()(int group) const {
    typename Term::Sum sum{};
    if (term.isWanted(group))
      for (int part = firstPart[group]; part < firstPart[group + 1]; ++part) sum += sums[part];
    use(group, sum);
  }
};

template <class Term, class Use>
struct UseSumOfItems {  // one group per index
  const int* first;
  Term term;
  Use use;
  TS_HD void operator()(int group) const {
    typename Term::Sum sum{};
    if (term.isWanted(group))
      for (int begin = first[group]; begin < first[group + 1]; begin += kTermsPerSum)
        sum += sumOfPart(term, group, begin, first[group + 1]);
    use(group, sum);
  }
};

}  // namespace detail

/// Sums over the items of each group: first over kTermsPerSum items at a time, then over these partial sums
/// in order. On a device the partial sums are a loop of their own, so that no single index has to add
/// thousands of items. Keeps its arrays between calls.
template <class Backend>
class GroupSums {
 public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// @param itemCapacity  the itemCount of Grouping::make()
  void make(const Backend& backend, const Grouping<Backend>& grouping, int itemCapacity, int groupCount) {
    m_first = grouping.first();
    m_groupCount = groupCount;
    if constexpr (!Backend::kOnHost) {
      m_scratch = itemCapacity / kTermsPerSum + std::min(groupCount, itemCapacity);
      m_firstPart.resize(groupCount + 1);
      forEach(backend, groupCount, detail::CountParts{m_first, m_firstPart.data()});
      sumCounts(backend, groupCount, m_firstPart.data());
    }
  }

  /// Calls use(group, sum) for each group, in a loop.
  /// @param term  Term::Sum operator()(int group, int place), with the place in Grouping::items(); and bool
  /// isWanted(int group): if false, the sum is empty
  /// @param scratch  holds partial sums until the loop has run
  template <class Term, class Use>
  void forEachSum(const Backend& backend, const Term& term, Array<typename Term::Sum>& scratch,
                  const Use& use) const {
    if constexpr (Backend::kOnHost) {
      forEach(backend, m_groupCount, detail::UseSumOfItems<Term, Use>{m_first, term, use});
    } else {
      scratch.resize(m_scratch);
      forEach(backend, m_scratch,
              detail::SumPart<Term>{m_first, m_firstPart.data(), m_groupCount, term, scratch.data()});
      forEach(backend, m_groupCount,
              detail::UseSumOfParts<Term, Use>{m_firstPart.data(), term, scratch.data(), use});
    }
  }

 private:
  const int* m_first = nullptr;
  int m_groupCount = 0, m_scratch = 0;
  Array<int> m_firstPart;
};

}  // namespace touchstone
