#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/contact/complementarity/complementarity_model.h"
#include "core/contact/complementarity/rigid_report.h"
#include "core/contact/drive_parameter.h"
#include "core/contact/manifold/row_rules.h"
#include "core/parallel/backend_kind.h"
#include "core/scene/parameter.h"
#include "core/solver/row_solver.h"
#include "core/solver/solver_traits.h"
#include "core/world/world.h"

namespace touchstone {

/// Values in force of the parameters that `lcp` and `peg` share, and the solver that they select.
class RigidSettings {
 public:
  /// @param backend  where the step runs, and with it the linear systems that are not dense
  RigidSettings(const World& world, const std::string& solver, BackendKind backend);

  /// @param specs  of the method
  void set(const std::vector<ParameterSpec>& specs, const std::vector<ParameterValues>& ofReplicas);
  const ModelSettings& model() const { return m_model; }
  const std::vector<SolverSettings>& solver() const { return m_solver; }  ///< [replicaCount]
  /// The solver that is in use now.
  RowSolverKind kind() const;
  /// Every solver that values, or `auto`, may select: with its matrices and without, as far as it has both.
  std::vector<RowSolverKind> kinds() const;
  /// Values and key of the solver for the running step.
  std::vector<SolverSettings> solverOfStep() const;
  std::string keyOfStep() const;
  bool hasJoints() const { return !m_scene->joints.empty(); }

  bool startsWarm() const { return m_startsWarm; }  ///< from the impulses of the last step
  DriveIntegration drives() const { return m_drives; }
  bool sweeps() const { return m_traits.sweeps; }
  bool isAuto() const { return m_traits.choosesForm; }
  /// Sets whether `auto` goes without matrices.
  void goWithoutMatrix(bool on) { m_goesWithoutMatrix = on; }
  /// Lets `auto` choose for the bodies that take part. @return true if it has changed its mind
  bool choose(const World& world);
  int rowsPerContact() const;
  /// @throws std::length_error where a step has more rows than `largest_problem` allows
  void requireSomeLimit(const World& world, int rows) const;
  /// Completes the name of the solver that delivered: its linear solver, what joints made of it, that it
  /// works with a friction pyramid, and that no contact was left out. A change of solver changes no model
  /// silently.
  void tellDelivered(StepRecord& record) const;

 private:
  std::shared_ptr<const Scene> m_scene;
  std::string m_key;
  const SolverTraits& m_traits;  ///< of the key
  BackendKind m_backend;
  ModelSettings m_model;
  std::vector<SolverSettings> m_solver;  ///< [replicaCount] alike but for limits
  bool m_startsWarm = true;
  DriveIntegration m_drives = DriveIntegration::Implicit;
  bool m_keepsAllContacts = false;
  bool m_goesWithoutMatrix = false;  ///< what `auto` has chosen
  bool m_hasFriction;
};

}  // namespace touchstone
