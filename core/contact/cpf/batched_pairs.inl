#pragma once

#include "core/contact/cpf/batched_pairs.h"
#include "core/contact/cpf/pair_evaluation.inl"
#include "core/math/count.h"
#include "core/parallel/device/deferred_lists.h"

namespace touchstone {

namespace detail {

/// Data that decide whether a pair may act, apart from the rest of it: every pair needs them, few pairs need
/// anything else. Neighbours lie side by side, so that a warp's reads take no more of the memory than they
/// use.
struct PairStart {
  FeaturePairKind kind;
  bool tracked;
  int side;
};

struct SplitPairs {
  const PairPath* inputs;  // [pairCount]
  int pairCount;
  PairStart* starts;  // [pairCount], out
  Vec3* rows;         // [8][pairCount], out: x0, then x1
  TS_HD void operator()(int pair) const {
    const PairPath& input = inputs[pair];
    starts[pair] = {input.kind, input.tracked, input.side};
    for (int row = 0; row < 4; ++row) {
      rows[static_cast<std::size_t>(row) * pairCount + pair] = input.x0[row];
      rows[static_cast<std::size_t>(row + 4) * pairCount + pair] = input.x1[row];
    }
  }
};

struct PairPaths {
  SplitPairs split;
  TS_HD bool mayAct(int pair) const {
    const PairStart start = split.starts[pair];
    PairPath input;
    input.kind = start.kind;
    for (int row = 0; row < 4; ++row) {
      input.x0[row] = split.rows[static_cast<std::size_t>(row) * split.pairCount + pair];
      input.x1[row] = split.rows[static_cast<std::size_t>(row + 4) * split.pairCount + pair];
    }
    if (start.kind == FeaturePairKind::VertexPlane) {
      input.planeNormal = split.inputs[pair].planeNormal;
      input.planeOffset = split.inputs[pair].planeOffset;
    }
    const PairMotion motion = motionOf(input);
    return !cannotCross(motion) || isActiveAtStart(start.tracked, start.side, motion);
  }
  TS_HD const PairPath& inputOf(int pair) const { return split.inputs[pair]; }
};

}  // namespace detail

template <class Backend>
class BatchedPairsOn : public BatchedPairs {
 public:
  void send(const std::vector<PairPath>& inputs) override {
    m_loops.upload(inputs.data(), inputs.size(), m_inputs);
    m_starts.resize(inputs.size());
    m_rows.resize(8 * inputs.size());
    m_split = {m_inputs.data(), countOf(inputs), m_starts.data(), m_rows.data()};
    forEach(m_loops, m_split.pairCount, m_split);
    m_loops.finish();
  }
  void evaluate() override {
    do {
      m_loops.beginStep();
      m_evaluation.run(m_loops, {m_split.pairCount, nullptr}, detail::PairPaths{m_split});
      m_loops.startReading();
    } while (m_loops.growOverflowed());
  }
  std::vector<PairImpulse> fetch() override {
    const auto touching = m_evaluation.touching();
    const std::size_t count = lengthOf(m_loops, touching.extent);
    std::vector<PairImpulse> results(m_inputs.size()), evaluated(count);
    m_loops.download(static_cast<const PairImpulse*>(m_evaluation.results()), count, evaluated.data());
    const std::vector<int> pairs = fetched(m_loops, touching.pairs, count);
    for (std::size_t k = 0; k < count; ++k) results[pairs[k]] = evaluated[k];
    return results;
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  using Loops = WithoutWaiting<Backend>;

  Loops m_loops;
  PairEvaluation<Loops> m_evaluation;
  Array<PairPath> m_inputs;
  Array<detail::PairStart> m_starts;
  Array<Vec3> m_rows;
  detail::SplitPairs m_split{};
};

}  // namespace touchstone
