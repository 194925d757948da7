#pragma once

#include <string>
#include <vector>

namespace touchstone::cli {

/// One benchmark: what `bench FILTER` chooses from, and a section of the page.
struct BenchGroup {
  const char* name;
  const char* title;
  const char* text;  ///< what it shows, in Markdown
};

/// In the order of the page.
const std::vector<BenchGroup>& benchGroupTable();
/// Name of the group that a row or a failure belongs to: "pile" of "pile-1000/cpu/dpf", "pour" of
/// "step/pour/dpf".
std::string benchGroupOf(const std::string& rowName);
/// The values of BenchOptions::filter, separated by commas.
std::string benchGroups();

}  // namespace touchstone::cli
