#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files/scene_error.h"
#include "core/math/quaternion.h"

namespace touchstone {

/// A place in a JSON document that knows its path, so that every error names file and field. All values from
/// files are read through its functions.
class JsonView {
 public:
  /// The root of a document. @param guide  where the format is described, or who writes such files: the
  /// remedy for a missing field
  JsonView(const nlohmann::json& json, std::string file, std::string guide)
      : JsonView(json, std::move(file), "", std::move(guide)) {}

  const std::string& file() const { return m_file; }
  const std::string& path() const { return m_path; }
  const nlohmann::json& json() const { return m_json; }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw SceneError(m_file, m_path, problem, remedy);
  }

  bool has(const char* key) const { return m_json.contains(key); }
  JsonView at(const char* key) const;                    ///< fails if it is missing
  std::vector<JsonView> items(std::size_t limit) const;  ///< items of an array; fails above the limit

  /// Members of an object, by key; fails above the limit.
  std::vector<std::pair<std::string, JsonView>> members(std::size_t limit) const;

  /// Fails on any key that is not listed, and names the nearest listed one.
  void allowOnly(const std::vector<std::string>& keys) const;
  void requireObject() const;

  double number() const;  ///< finite
  double positive() const;
  double nonNegative() const;
  int integer(int minimum, int maximum) const;
  /// An integer that may exceed the range of int.
  long count(long minimum, long maximum) const;
  bool boolean() const;
  std::string text() const;  ///< without zero characters
  /// Must be one of these words.
  std::string oneOf(const std::vector<std::string>& words) const;
  Vec3 vector() const;  ///< [x, y, z], finite
  /// [w, x, y, z], or {"axis": [..], "angle_deg": ..}; normalised
  Quaternion rotation() const;
  std::vector<double> numbers(std::size_t limit) const;

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
  JsonView(const nlohmann::json& json, std::string file, std::string path, std::string guide)
      : m_json(json), m_file(std::move(file)), m_path(std::move(path)), m_guide(std::move(guide)) {}
  [[noreturn]] void failSize(std::size_t limit) const;
  std::string pathOf(const std::string& key) const { return m_path.empty() ? key : m_path + "." + key; }
  const nlohmann::json& m_json;
  std::string m_file, m_path, m_guide;
};

/// The name in `known` that a mistyped `word` most likely means, or empty.
std::string nearestName(const std::string& word, const std::vector<std::string>& known);

}  // namespace touchstone
