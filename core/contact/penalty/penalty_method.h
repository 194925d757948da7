#pragma once

#include <memory>
#include <string>

#include "core/contact/contact_method.h"

namespace touchstone {

/// dpf, dpf-ccd or cpf on the CPU.
std::unique_ptr<ContactMethod> penaltyMethod(const std::string& key, const World& world,
                                             const ParameterValues& values);

}  // namespace touchstone
