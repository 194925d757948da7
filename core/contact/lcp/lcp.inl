#pragma once

#include "core/contact/complementarity/rigid_method.inl"
#include "core/contact/lcp/lcp.h"

namespace touchstone {

/// A row for each contact.
template <class Backend>
class Lcp : public RigidMethod<Backend> {
 public:
  explicit Lcp(const MethodSetup& setup) : RigidMethod<Backend>(setup, lcpParameters(), {RowPer::Contact}) {
    this->setParameters(setup.ofReplicas);
  }

 protected:
  RowRules ruleOf(const ParameterValues& values) const override {
    RowRules rule = RigidMethod<Backend>::ruleOf(values);
    if (rule.thinning != Thinning::None) rule.thinning = Thinning::Contacts;  // sets make no rows
    rule.restitution = numberOf(lcpParameters(), values, "restitution");
    return rule;
  }
};

template <class Backend>
std::unique_ptr<Method<Backend>> lcp::Info::make(const Backend&, const MethodSetup& setup) {
  return std::make_unique<Lcp<Backend>>(setup);
}

}  // namespace touchstone
