#include "core/contact/nsn/nsn.inl"

#include "core/contact/complementarity/rigid_parameters.h"
#include "core/contact/nsn/nsn_parameters.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

MethodInfo nsn::Info::describe() {
  MethodInfo info;
  info.key = "nsn";
  info.name = "Non-smooth Newton";
  info.shortName = "NSN";
  info.source = "Macklin et al. 2019";
  info.colour = 0xCC79A7;  // reddish purple
  info.dash = LineDash::DashDotDot;
  info.parameters = parameters();
  info.planar = true;
  info.joints = true;
  info.deformables = Deformables::Rows;
  info.balances = false;
  info.refusal = rigid::refusal;
  info.clash = clash;
  info.staysOnHost = [](const std::string&) {
    return std::string("the rows of the iterates; linear systems of direct, gauss-seidel and 'full'");
  };
  return info;
}

template std::unique_ptr<Method<HostBackend>> nsn::Info::make(const HostBackend&, const MethodSetup&);

}  // namespace touchstone
