#pragma once

#include <memory>
#include <string>

#include "core/record/contact_features.h"

namespace touchstone {

/// Holds records that come from a file against their scene, before anything uses them.
class RecordCheck {
 public:
  explicit RecordCheck(std::shared_ptr<const Scene> scene);
  /// What of a record is not of its scene, or empty: another number of bodies, an index of a body, piece,
  /// feature or corner that is none, a number that is not finite where a record's own are. Residuals and
  /// quantities may be infinite or NaN: a solver that fails has such ones.
  std::string problemOf(const StepRecord& record) const;

 private:
  std::string problemOf(const Overlap& overlap) const;
  bool isBody(int body) const;
  std::shared_ptr<const Scene> m_scene;
  ContactFeatures m_features;
};

/// Whether all numbers of a contact are finite. Those of a step that diverged need not be; they are not
/// recorded.
bool isFinite(const Contact& contact);

}  // namespace touchstone
