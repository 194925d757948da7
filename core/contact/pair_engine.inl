#pragma once

#include "core/contact/pair_engine.h"
#include "core/parallel/for_each.h"

namespace touchstone {

struct EvaluatePairs {      // one pair per index
  const PairInput* inputs;  // [pairCount]
  PairResult* results;      // [pairCount], out
  TS_HD void operator()(int pair) const { results[pair] = evaluatePair(inputs[pair]); }
};

template <class Backend>
class PairEngineOn : public PairEngine {
 public:
  void evaluate(const std::vector<PairInput>& inputs, std::vector<PairResult>& results) override {
    Backend::upload(inputs, m_inputs);
    m_results.resize(inputs.size());
    if (!inputs.empty())
      forEach(Backend(), static_cast<int>(inputs.size()), EvaluatePairs{m_inputs.data(), m_results.data()});
    Backend::download(m_results, results);
  }

 private:
  typename Backend::template Array<PairInput> m_inputs;
  typename Backend::template Array<PairResult> m_results;
};

}  // namespace touchstone
