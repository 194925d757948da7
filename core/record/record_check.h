#pragma once

#include <memory>
#include <string>

#include "core/record/contact_features.h"

namespace touchstone {

/// Checks records that come from a file against their scene, before they are used.
class RecordCheck {
 public:
  explicit RecordCheck(std::shared_ptr<const Scene> scene);
  /// Describes the first inconsistency of a record with its scene, or returns an empty text: a wrong number
  /// of bodies, an invalid index of a body, piece, feature or corner, a value that is not finite. Residuals
  /// and quantities may be infinite or NaN, because a failed solver produces such values.
  std::string problemOf(const StepRecord& record) const;

 private:
  std::string problemOf(const Overlap& overlap) const;
  bool isBody(int body) const;
  std::shared_ptr<const Scene> m_scene;
  ContactFeatures m_features;
};

/// True if all numbers of a contact are finite. Contacts of a step that diverged may have others; they are
/// not recorded.
bool isFinite(const Contact& contact);

}  // namespace touchstone
