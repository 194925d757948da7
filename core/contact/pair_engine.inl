#pragma once

#include "core/contact/pair_engine.h"
#include "core/parallel/select.h"

namespace touchstone {

/// Pairs that can give anything; the others do not even write that they gave nothing.
struct InputMayAct {
  const PairInput* inputs;  // [pairCount]
  TS_HD bool operator()(int pair) const {
    const PairMotion motion = motionOf(inputs[pair]);
    return !cannotCross(motion) || isActiveAtStart(inputs[pair].tracked, inputs[pair].side, motion);
  }
};

struct EvaluateChosen {  // one chosen pair per index
  const PairInput* inputs;
  const int* chosen;
  PairResult* results;  // out
  TS_HD void operator()(int index) const { evaluatePair(inputs[chosen[index]], results[index]); }
};

template <class Backend>
class PairEngineOn : public PairEngine {
 public:
  void send(const std::vector<PairInput>& inputs) override {
    m_backend.upload(inputs.data(), inputs.size(), m_inputs);
  }
  void evaluate() override {
    m_chosen = &m_selection.select(m_backend, {static_cast<int>(m_inputs.size()), nullptr},
                                   InputMayAct{m_inputs.data()}, Work::Heavy);
    m_results.resize(static_cast<std::size_t>(m_chosen->size()));
    forEach(m_backend, m_chosen->extent(),
            EvaluateChosen{m_inputs.data(), m_chosen->data(), m_results.data()}, Work::Heavy);
    m_backend.finish();
  }
  std::vector<PairResult> fetch() override {
    std::vector<PairResult> results(m_inputs.size()), chosen(m_results.size());
    m_backend.download(m_results.data(), chosen.size(), chosen.data());
    const std::vector<int> indices = m_chosen->download(m_backend);
    for (std::size_t k = 0; k < indices.size(); ++k)
      results[static_cast<std::size_t>(indices[k])] = chosen[k];
    return results;
  }

 private:
  Backend m_backend;
  Selection<Backend> m_selection;
  const List<Backend, int>* m_chosen = nullptr;  ///< of the last evaluate()
  typename Backend::template Array<PairInput> m_inputs;
  typename Backend::template Array<PairResult> m_results;
};

}  // namespace touchstone
