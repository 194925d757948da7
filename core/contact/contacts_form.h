#pragma once

namespace touchstone {

/// Parameter of methods with rows of contacts: how many contacts a patch of two surfaces keeps.
inline constexpr const char* kContacts = "contacts";
inline constexpr const char *kPatchContacts = "patch", *kAllContacts = "all";
/// What the text of a solver says where all contacts are kept.
inline constexpr const char* kTellsAllContacts = ", all contacts";

}  // namespace touchstone
