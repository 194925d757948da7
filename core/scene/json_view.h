#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/math/quaternion.h"
#include "core/scene/scene_error.h"

namespace touchstone {

/// A place in a JSON document that knows its path, so that every error names file and field.
class JsonView {
 public:
  JsonView(const nlohmann::json& json, std::string file, std::string path)
      : m_json(json), m_file(std::move(file)), m_path(std::move(path)) {}

  const std::string& file() const { return m_file; }
  const std::string& path() const { return m_path; }
  const nlohmann::json& json() const { return m_json; }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw SceneError(m_file, m_path, problem, remedy);
  }

  bool has(const char* key) const { return m_json.contains(key); }
  JsonView at(const char* key) const;                    ///< fails if it is missing
  std::vector<JsonView> items(std::size_t limit) const;  ///< of an array; fails above the limit

  /// Fails on any key that is not listed, naming the nearest one that is.
  void allowOnly(std::initializer_list<const char*> keys) const;
  void requireObject() const;

  double number() const;  ///< finite
  double positive() const;
  double nonNegative() const;
  int integer(int minimum, int maximum) const;
  bool boolean() const;
  std::string text() const;
  Vec3 vector() const;  ///< [x, y, z], finite
  /// [w, x, y, z], or {"axis": [..], "angle_deg": ..}; normalised
  Quaternion rotation() const;

  double numberOr(const char* key, double standard) const { return has(key) ? at(key).number() : standard; }
  Vec3 vectorOr(const char* key, const Vec3& standard) const {
    return has(key) ? at(key).vector() : standard;
  }
  std::string textOr(const char* key, const std::string& standard) const {
    return has(key) ? at(key).text() : standard;
  }
  Quaternion rotationOr(const char* key) const {
    return has(key) ? at(key).rotation() : Quaternion(1, 0, 0, 0);
  }

 private:
  const nlohmann::json& m_json;
  std::string m_file, m_path;
};

/// The name in `known` that a mistyped `word` most likely meant, or empty.
std::string nearestName(const std::string& word, const std::vector<std::string>& known);

}  // namespace touchstone
