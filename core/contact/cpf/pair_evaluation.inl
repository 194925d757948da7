#pragma once

#include "core/contact/manifold/continuous_penalty.h"
#include "core/parallel/select.h"

namespace touchstone {

namespace detail {

template <class Source>
struct MayAct {
  Source source;
  TS_HD bool operator()(int pair) const { return source.mayAct(pair); }
};

template <class Source>
struct Touches {  // one chosen pair per index
  Source source;
  const int* chosen;
  TS_HD bool operator()(int index) const { return touches(source.inputOf(chosen[index])); }
};

template <class Source>
struct EvaluateTouching {  // one touching pair per index
  Source source;
  const int *chosen, *touching;
  int* pairs;            // out
  PairImpulse* results;  // out
  TS_HD void operator()(int index) const {
    pairs[index] = chosen[touching[index]];
    evaluatePair(source.inputOf(pairs[index]), results[index]);
  }
};

}  // namespace detail

/// Evaluates the pairs that can act. Most pairs cannot cross, as their motion shows; most of the others cross
/// where they must not, as the roots of their gap show. Only the remaining results are written, because a
/// result is large. Keeps its arrays.
template <class Backend>
class PairEvaluation {
 public:
  /// @param source  knows its pairs by their index: mayAct(pair), cheap and true if touches() may be;
  /// inputOf(pair)
  template <class Source>
  void run(const Backend& backend, const Extent& pairs, const Source& source) {
    const List<Backend, int>& chosen =
        m_chosen.select(backend, pairs, detail::MayAct<Source>{source}, Work::Heavy);
    const List<Backend, int>& touching = m_touching.select(
        backend, chosen.extent(), detail::Touches<Source>{source, chosen.data()}, Work::Heavy);
    m_mayAct = {chosen.extent(), chosen.data()};
    m_extent = touching.extent();
    m_pairs.resize(m_extent.capacity);
    m_results.resize(m_extent.capacity);
    forEach(backend, m_extent,
            detail::EvaluateTouching<Source>{source, chosen.data(), touching.data(), m_pairs.data(),
                                             m_results.data()},
            Work::Heavy);
  }

  // Of the last run().
  struct PairList {
    Extent extent;
    const int* pairs = nullptr;  ///< ascending
  };
  PairList mayAct() const { return m_mayAct; }
  PairList touching() const { return {m_extent, m_pairs.data()}; }
  PairImpulse* results() { return m_results.data(); }  ///< of touching()

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  Selection<Backend> m_chosen, m_touching;
  PairList m_mayAct;
  Extent m_extent;
  Array<int> m_pairs;
  Array<PairImpulse> m_results;
};

}  // namespace touchstone
