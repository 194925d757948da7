#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include <type_traits>

#include "core/parallel/for_each.h"
#include "core/parallel/sum.h"
#include "core/parallel/thread_group.h"

namespace touchstone {

namespace detail {

/// Reads counts[index]; the index `count`, that of the total, reads as 0.
struct CountOrNone {
  const int* counts;
  int count;
  TS_HD int operator()(int index) const { return index < count ? counts[index] : 0; }
};

/// Replaces every stride-th entry of counts[0 … end) by the sum of the entries before it. @return the sum of
/// all
TS_HD inline int sumBefore(int* counts, int end, int stride = 1) {
  int total = 0;
  for (int index = 0; index < end; index += stride) {
    const int term = counts[index];
    counts[index] = total;
    total += term;
  }
  return total;
}

/// sumCounts() in one group. Each part of kTermsPerSum counts is turned into offsets within the part. The
/// first of them, which is 0, holds the total of the part until the parts are added up.
template <class Then, class Each>
struct SumCountsTogether {
  int* counts;
  int count;
  Then then;
  Each visit;
  TS_NO_SPACE_CHECK
  template <class Group>
  TS_HD void operator()(const Group& group, int) const {
    const int parts = sumsOf(count);
    group.forEach(parts, [this](int part) {
      const int first = part * kTermsPerSum, remaining = count - first;
      counts[first] = sumBefore(counts + first, remaining < kTermsPerSum ? remaining : kTermsPerSum);
    });
    group.forEach(1, [this](int) {
      counts[count] = sumBefore(counts, count, kTermsPerSum);
      then(0);
    });
    group.forEach(count, [this](int index) {
      const int inPart = index % kTermsPerSum;
      if (inPart > 0) counts[index] += counts[index - inPart];
    });
    if constexpr (!std::is_same_v<Each, NothingMore>) group.forEach(count, visit);
  }
};

}  // namespace detail

/// Turns counts[0 … count) into the offsets of their items in one list, in place; counts[count] becomes the
/// total. The counts are integers, so the order of the sums does not matter.
/// @param counts  [count + 1] on the backend
/// @param then  a loop body: then(0) runs when the total is known
/// @param visit  the body of a loop over all counts that runs when the offsets are known
template <class Backend, class Then = detail::NothingMore, class Each = detail::NothingMore>
void sumCounts(const Backend& backend, int count, int* counts, const Then& then = Then(),
               const Each& visit = Each()) {
  if constexpr (Backend::kOnHost) {
    counts[count] = detail::sumBefore(counts, count);
    then(0);
  } else if (fitOneGroup(count)) {
    backend.runGroups(1, count, detail::SumCountsTogether<Then, Each>{counts, count, then, visit});
    return;
  } else {
    const auto first = thrust::make_transform_iterator(thrust::counting_iterator<int>(0),
                                                       detail::CountOrNone{counts, count});
    backend.call("scan", count + 1, [=](const auto& policy) {
      thrust::exclusive_scan(policy, first, first + count + 1, counts);
    });
    forEach(backend, 1, then);
  }
  forEach(backend, count, visit);
}

/// Runs sumCounts() and waits for the total.
template <class Backend>
int offsetsOf(const Backend& backend, int count, int* counts) {
  sumCounts(backend, count, counts);
  int total = 0;
  backend.download(counts + count, 1, &total);
  return total;
}

}  // namespace touchstone
