#include <map>

#include "core/contact/contact_method.h"
#include "core/contact/cpf/cpf.h"
#include "core/contact/cpf/dpf_ccd.h"
#include "core/contact/dpf/dpf.h"
#include "core/contact/lcp/lcp.h"
#include "core/contact/peg/peg.h"

namespace touchstone {

namespace {

/// Defaults that the papers use themselves; all others are ours.
std::string publishedSource(const std::string& method, const std::string& key) {
  const bool penalty = method == "dpf" || method == "dpf-ccd" || method == "cpf";
  static const std::map<std::string, std::string> penalties = {
      {"damping", "Tang 2012"},
      {"evaluate", "Tang 2012, section 3.6"},
      {"edge_edge", "Tang 2012, section 3.1"},
      {"normal", "Tang 2012, eq. 12"},
      {"normalise", "Tang 2012"},
      {"stiffness_perturbation", "Tang 2012"},
      {"friction_reset", "Yamane and Nakamura 2006"}};
  static const std::map<std::string, std::string> gaps = {{"eps_theta", "Williams 2017, simulator"},
                                                          {"stabilisation", "Williams 2017"},
                                                          {"correction_cap", "Williams 2017"},
                                                          {"feasible_depth", "Williams 2017, simulator"},
                                                          {"step", "Williams 2017"},
                                                          {"restitution", "Stewart and Trinkle 1996"}};
  const auto& table = penalty ? penalties : gaps;
  const auto found = table.find(key);
  return found == table.end() ? std::string() : found->second;
}

std::vector<MethodInfo> allMethods() {
  std::vector<MethodInfo> table = {dpfMethod(), dpfCcdMethod(), cpfMethod(), lcpMethod(), pegMethod()};
  for (MethodInfo& method : table)
    for (ParameterSpec& spec : method.parameters) spec.published = publishedSource(method.key, spec.key);
  return table;
}

}  // namespace

const std::vector<MethodInfo>& methodTable() {
  static const std::vector<MethodInfo> table = allMethods();
  return table;
}

const MethodInfo* findMethod(const std::string& key) {
  for (const MethodInfo& method : methodTable())
    if (method.key == key) return &method;
  return nullptr;
}

}  // namespace touchstone
