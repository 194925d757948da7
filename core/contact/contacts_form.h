#pragma once

namespace touchstone {

/// Parameter of methods with rows of contacts: how many contacts a patch of two surfaces keeps.
inline constexpr const char* kContacts = "contacts";
inline constexpr const char *kPatchContacts = "patch", *kAllContacts = "all";
/// Words in the text of a solver that keeps all contacts.
inline constexpr const char* kTellsAllContacts = ", all contacts";

}  // namespace touchstone
