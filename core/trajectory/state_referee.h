#pragma once

#include <memory>
#include <vector>

#include "core/record/step_record.h"
#include "core/referee/referee.h"
#include "core/scene/scene.h"
#include "core/trajectory/near_pairs.h"
#include "core/world/world.h"

namespace touchstone {

/// Measures states of rigid bodies, wherever they come from, with the Referee that measures panes, on the
/// host. Call measure() for ascending times. Not thread-safe.
///
/// What cannot be known stays not a number: without contacts forces, their number and the errors of momenta;
/// of contacts that are not all that acted the same; of several steps per interval the error of the angular
/// momentum; and of scenes without springs of their own the elastic energy. Total energy then is kinetic and
/// potential energy. Jitter then is that of the bodies in pairs with gap ≤ ε (near_pairs.h). A body that is
/// not active yet and then is, is released: at the time of the scene with the state of the scene, else with
/// its own state; one that leaves takes its energy along.
class StateReferee {
 public:
  /// Extent of what is known of contacts: nothing, those of some instants, or all of each interval.
  enum class Contacts { None, Samples, All };

  explicit StateReferee(std::shared_ptr<const Scene> scene, Contacts given = Contacts::None);
  ~StateReferee();

  /// Fills the states, contacts, overlaps and quantities of a record.
  /// @param states    [bodies]
  /// @param contacts  of the interval; impulses on B [N·s]
  /// @param time      s   @param interval  since the states before [s]; 0 at the first ones
  /// @param record    in: dt, the step of the integration [s], 0 if it is not known (it decides where in the
  ///                  step the height belongs to the velocity, see momentaOf()); frame, substeps
  void measure(const std::vector<BodyState>& states, const std::vector<Contact>& contacts, double time,
               double interval, StepRecord& record);

  const World& world() const { return m_world; }  ///< in the state that was measured last
  /// The pairs with gap ≤ ε in that state.
  const std::vector<NearPair>& pairs();

 private:
  void place(const std::vector<BodyState>& states, double time);
  void balanceReleases(const std::vector<BodyState>& states, double interval, double halfStep);
  std::vector<Contact> touches();
  void sumContacts(double interval, StepRecord& record);
  void dropUnknown(StepRecord& record) const;

  std::shared_ptr<const Scene> m_scene;
  Contacts m_given;
  World m_world;
  std::shared_ptr<DeviceWorld> m_deviceWorld;
  std::unique_ptr<Referee> m_referee;
  std::vector<NearPair> m_pairs;
  bool m_hasPairs = false;  ///< of the present state
  bool m_hasBegun = false;
  double m_timeBefore = 0;
  std::vector<BodyState> m_before;
};

}  // namespace touchstone
