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
  void send(const std::vector<PairInput>& inputs) override {
    m_backend.upload(inputs.data(), inputs.size(), m_inputs);
    m_results.resize(inputs.size());
  }
  void evaluate() override {
    forEach(m_backend, static_cast<int>(m_inputs.size()), EvaluatePairs{m_inputs.data(), m_results.data()},
            Work::Heavy);
    m_backend.finish();
  }
  std::vector<PairResult> fetch() override {
    std::vector<PairResult> results(m_results.size());
    m_backend.download(m_results.data(), results.size(), results.data());
    return results;
  }

 private:
  Backend m_backend;
  typename Backend::template Array<PairInput> m_inputs;
  typename Backend::template Array<PairResult> m_results;
};

}  // namespace touchstone
