#pragma once

#include <string>

namespace touchstone {

/// For items that are names.
struct NameItself {
  const std::string& operator()(const std::string& name) const { return name; }
  const char* operator()(const char* name) const { return name; }
};

/// The names of items for a message: "dpf, cpf, lcp". @param nameOf  nameOf(item) returns its name
template <class Items, class NameOf = NameItself>
std::string listed(const Items& items, const char* between = ", ", const NameOf& nameOf = {}) {
  std::string names;
  bool isFirst = true;
  for (const auto& item : items) {
    if (!isFirst) names += between;
    names += nameOf(item);
    isFirst = false;
  }
  return names;
}

}  // namespace touchstone
