#pragma once

#include "core/contact/pair_engine.h"
#include "core/contact/pair_evaluation.inl"

namespace touchstone {

namespace detail {

struct PairInputs {
  const PairInput* inputs;  // [pairCount]
  TS_HD bool mayAct(int pair) const {
    const PairMotion motion = motionOf(inputs[pair]);
    return !cannotCross(motion) || isActiveAtStart(inputs[pair].tracked, inputs[pair].side, motion);
  }
  TS_HD const PairInput& inputOf(int pair) const { return inputs[pair]; }
};

}  // namespace detail

template <class Backend>
class PairEngineOn : public PairEngine {
 public:
  void send(const std::vector<PairInput>& inputs) override {
    m_backend.upload(inputs.data(), inputs.size(), m_inputs);
  }
  void evaluate() override {
    m_evaluation.run(m_backend, {static_cast<int>(m_inputs.size()), nullptr},
                     detail::PairInputs{m_inputs.data()});
    m_backend.finish();
  }
  std::vector<PairResult> fetch() override {
    const auto touching = m_evaluation.touching();
    const std::size_t count = static_cast<std::size_t>(lengthOf(m_backend, touching.extent));
    std::vector<PairResult> results(m_inputs.size()), evaluated(count);
    m_backend.download(static_cast<const PairResult*>(m_evaluation.results()), count, evaluated.data());
    const std::vector<int> pairs = fetched(m_backend, touching.pairs, count);
    for (std::size_t k = 0; k < count; ++k) results[static_cast<std::size_t>(pairs[k])] = evaluated[k];
    return results;
  }

 private:
  Backend m_backend;
  PairEvaluation<Backend> m_evaluation;
  typename Backend::template Array<PairInput> m_inputs;
};

}  // namespace touchstone
