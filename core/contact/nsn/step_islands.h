#pragma once

#include <array>
#include <map>
#include <vector>

#include "core/contact/complementarity/model_contact.h"
#include "core/contact/complementarity/row_rules.h"
#include "core/contact/nsn/nonsmooth_newton.h"
#include "core/contact/nsn/surface_contacts.h"
#include "core/math/count.h"

namespace touchstone::nsn {

/// Identity of a contact from step to step.
using ContactKey = std::array<int, 5>;
ContactKey contactKeyOf(const ModelContact& contact);
ContactKey contactKeyOf(const SurfaceContact& contact);

/// The contacts of a step: between convex pieces, and between surfaces of which one deforms. They have one
/// numbering.
struct StepContacts {
  std::vector<ModelContact> pieces;
  std::vector<SurfaceContact> surfaces;
  int count() const { return static_cast<int>(pieces.size() + surfaces.size()); }
  bool isOfPieces(int index) const { return index < countOf(pieces); }
  const ModelContact& piece(int index) const { return pieces[index]; }
  const SurfaceContact& surface(int index) const { return surfaces[index - pieces.size()]; }
  ContactKey keyOf(int index) const {
    return isOfPieces(index) ? contactKeyOf(piece(index)) : contactKeyOf(surface(index));
  }
};

/// An island with what it has of the step.
struct Part {
  Island island;
  std::vector<int> contacts;               ///< of StepContacts
  std::vector<int> joints;                 ///< of the scene
  std::vector<int> attachments, elements;  ///< of ElasticBodies
  std::vector<int> bodies;                 ///< carriers of the world
  int replica = 0;
};

/// Forces of the last step, with which a warm start begins.
struct WarmForces {
  std::map<ContactKey, Vec3> contacts;                             ///< as IslandContact::force
  std::map<int, std::array<double, ElementRows::kMost>> elements;  ///< as IslandElement::force, by element
};

/// A step that is divided into islands, after predict().
struct DividedStep {
  const World& world;
  const StepContacts& contacts;
  const std::vector<RowRules>& rules;  ///< one, or [replicaCount]
  const WarmForces* warm;              ///< null: it starts from zero
  double velocityUnit;                 ///< velocityUnitOf() the scene [m/s]
};
/// Islands that contacts, joints, attachments and elements couple, in the order of the first of these.
std::vector<Part> partsOf(const DividedStep& step);

}  // namespace touchstone::nsn
