#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/contact/manifold/found_sets.h"
#include "core/contact/method_info.h"
#include "core/contact/nsn/nsn_parameters.h"
#include "core/contact/nsn/step_rows.h"
#include "core/contact/step_detail.h"
#include "core/solver/dense/problem.h"
#include "core/solver/rows/row_report.h"

namespace touchstone::nsn {

/// Answer of the solver to the rows of a step.
struct StepAnswer {
  RowSolverReport report;
  std::vector<double> z;              ///< [rows] impulses
  std::vector<Vec3> linear, angular;  ///< [carrierCount] velocities
  struct Island {
    double residual = 0;
    bool isSolved = false, isAnswered = false;  ///< as IslandCurve
  };
  std::vector<Island> islands;
  std::vector<int> islandOfBlock;  ///< [blocks of StepRows::rows()]
};

/// The parts of a step that stay on the host: which contacts it has, their rows at any state, what its answer
/// is worth, the record, and the forces that the next step starts from.
class StepOnHost {
 public:
  explicit StepOnHost(const World& world);

  void setParameters(const std::vector<ParameterValues>& ofReplicas);
  const Values& values() const { return m_values.front(); }
  const std::vector<RowRules>& rules() const { return m_rules; }  ///< [replicaCount]
  /// [replicaCount] tolerances and iterations; the rest is the same for all.
  std::vector<SolverSettings> solverSettings() const;
  void setRecorded(Recorded recorded) { m_recorded = recorded; }

  /// Contacts and rows of the step. @param areVerticesOnHost  see SurfaceContacts::find()
  /// @param found, sets  of narrow phase
  void begin(World& world, const std::vector<ModelContact>& found, const FoundSets& sets,
             bool areVerticesOnHost);
  const StepRows& rows() const { return *m_rows; }
  /// Impulses that the solver starts from [rows].
  std::vector<double> start() const;
  /// Judges the answer, gives it to the world, remembers its forces, and records it. @param free  of the
  /// world, velocities without impulses   @param detail  or null
  /// @return replicas that had better take the step in halves, if it may be
  ReplicaSet end(World& world, const StepAnswer& answer, bool mayBisect, StepRecord& record,
                 StepDetail* detail);

  void reset() { m_forces = {}; }
  std::string memory() const;
  void restoreMemory(const std::string& bytes);

 private:
  /// An island of the step.
  struct Island {
    int replica = 0;
    std::vector<int> carriers, contacts;  ///< the second of StepRows::contacts()
    double turn = 0;                      ///< see turnOf() [rad]
    bool isEntered = false;
    bool isHalved = false;
  };

  std::vector<Island> islandsOf(const World& world, const StepAnswer& answer) const;
  double turnOf(const World& world, const Island& island, const StepAnswer& answer) const;
  bool isEntered(const World& world, const Island& island, const StateView& state) const;
  ReplicaSet judge(std::vector<Island>& islands, bool mayBisect, StepRecord& record) const;
  static void apply(World& world, const StepAnswer& answer, const std::vector<Island>& islands);
  void remember(const World& world, const StepAnswer& answer, const std::vector<Island>& islands,
                const ReplicaSet& halved);
  void recordAnswer(const World& world, const StepAnswer& answer, const std::vector<Island>& islands,
                    const ReplicaSet& halved, StepRecord& record) const;
  void recordContacts(const World& world, const StepAnswer& answer, const std::vector<Island>& islands,
                      const StateView& state, StepRecord& record) const;
  void recordAttachments(const StepAnswer& answer, const std::vector<Island>& islands, const World& world,
                         StepRecord& record) const;
  void setMode(const RowContact& contact, const Vec3& velocity, Contact& record) const;
  Contact recordOfPieces(const WorldView& view, const RowContact& contact, const PlacedGap& placed,
                         const Vec3& impulse) const;
  Contact recordOfSurfaces(const WorldView& view, const RowContact& contact, const Vec3& impulse) const;
  void explain(const World& world, const StepAnswer& answer, const std::vector<Island>& islands,
               const std::vector<double>& start, StepDetail& detail) const;

  std::shared_ptr<const Scene> m_scene;
  double m_velocityUnit;                               ///< velocityUnitOf() the scene [m/s]
  double m_length;                                     ///< lengthOf() it [m]
  std::vector<Values> m_values;                        ///< [replicaCount]
  std::vector<RowRules> m_rules;                       ///< [replicaCount]
  std::unique_ptr<SurfaceContacts> m_surfaceContacts;  ///< null: nothing deforms
  WarmForces m_forces;
  Recorded m_recorded = Recorded::All;

  // Of the running step.
  StepContacts m_contacts;
  std::unique_ptr<StepRows> m_rows;
};

}  // namespace touchstone::nsn
