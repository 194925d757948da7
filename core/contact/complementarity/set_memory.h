#pragma once

#include <array>
#include <map>
#include <string>

#include "core/contact/complementarity/contact_set_step.h"

namespace touchstone {

/// The unknowns of constraint sets by the features of their primaries: what the next problems start from.
class SetMemory {
 public:
  void clear() { m_unknowns.clear(); }
  /// Start of a problem, [n]; 0 where nothing is known.
  Eigen::VectorXd startOf(const ContactSetStep& step, const IslandProblem& island,
                          const ModelSettings& settings) const;
  /// Takes the answers of a step. Bodies that take no part in it keep what they have: they may be waiting for
  /// others that take halves of the step.
  /// @param bisected  replicas that will take this step in halves, from what they have; or empty
  void keep(const World& world, const SolvedStep& solved, const ModelSettings& settings,
            const ReplicaSet& bisected);

  std::string bytes() const;
  void restore(const std::string& bytes);

 private:
  using SetKey = std::array<int, 6>;
  static SetKey keyOf(const ContactSetStep& step, const ModelSet& set);
  std::map<SetKey, Eigen::VectorXd> m_unknowns;
};

}  // namespace touchstone
