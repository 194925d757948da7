#pragma once

#include <memory>

#include "core/contact/contact_method.h"

namespace touchstone {

/// `lcp` solved by `pgs`: every contact within reach is a row as in the standard model, and friction is
/// Coulomb's cone itself. No matrix and no islands to assemble: contacts, rows, sweeps and velocities stay on
/// the backend (SweepEngine), and back come impulses for the record. What the sweeps reach is used as it is:
/// no iterate of theirs is worse than not trying.
std::unique_ptr<ContactMethod> makeSweptLcp(const World& world, const ParameterValues& values);
/// See MethodInfo.
std::string sweptLcpStaysOnHost();

}  // namespace touchstone
