#include "core/contact/contact_method.h"
#include "core/contact/cpf.h"
#include "core/contact/dpf.h"
#include "core/contact/dpf_ccd.h"
#include "core/contact/lcp.h"
#include "core/contact/peg.h"

namespace touchstone {

const std::vector<MethodInfo>& methodTable() {
  static const std::vector<MethodInfo> table = {dpfMethod(), dpfCcdMethod(), cpfMethod(), lcpMethod(),
                                                pegMethod()};
  return table;
}

const MethodInfo* findMethod(const std::string& key) {
  for (const MethodInfo& method : methodTable())
    if (method.key == key) return &method;
  return nullptr;
}

}  // namespace touchstone
