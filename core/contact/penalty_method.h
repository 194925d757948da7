#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/contact/contact_method.h"

namespace touchstone {

/// dpf, dpf-ccd or cpf on the CPU.
std::unique_ptr<ContactMethod> penaltyMethod(const std::string& key, const World& world,
                                             const ParameterValues& values);

/// The values of each copy of a scene: those given, with what the copy has of its own over them.
std::vector<ParameterValues> valuesOfCopies(const Scene& scene, const std::string& method,
                                            const ParameterValues& values);

}  // namespace touchstone
