#pragma once

#include <stdexcept>
#include <string>

namespace touchstone {

/// Bad input. what() reads `file:field: problem; remedy`.
class SceneError : public std::runtime_error {
 public:
  SceneError(const std::string& file, const std::string& field, const std::string& problem,
             const std::string& remedy)
      : std::runtime_error(file + (field.empty() ? "" : ":" + field) + ": " + problem + "; " + remedy) {}
};

}  // namespace touchstone
