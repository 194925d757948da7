#pragma once

#include "core/contact/cpf/cpf.h"
#include "core/contact/cpf/dpf_ccd.h"
#include "core/contact/dpf/dpf.h"
#include "core/contact/lcp/lcp.h"
#include "core/contact/method.h"
#include "core/contact/nsn/nsn.h"
#include "core/contact/peg/peg.h"

namespace touchstone {

/// The methods of the program: a new one is a folder and an entry here.
using Methods = MethodList<dpf::Info, dpf_ccd::Info, cpf::Info, lcp::Info, peg::Info, nsn::Info>;

}  // namespace touchstone
