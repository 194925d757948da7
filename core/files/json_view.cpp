#include "core/files/json_view.h"

#include <algorithm>
#include <cmath>

#include "core/files/listed.h"
#include "core/files/nearest_names.h"

namespace touchstone {

namespace {

/// Largest component of a vector. With larger ones, squares and products of positions, speeds or inertias
/// lose all digits; a smaller limit refuses large scenes. kLargestNumber: with larger numbers such products
/// overflow.
constexpr double kLargestComponent = 1e9;
constexpr double kLargestNumber = 1e30;

}  // namespace

JsonView JsonView::at(const char* key) const {
  requireObject();
  if (!m_json.contains(key)) throw SceneError(m_file, pathOf(key), "is missing", m_guide);
  return {m_json.at(key), m_file, pathOf(key), m_guide};
}

std::vector<JsonView> JsonView::items(std::size_t limit) const {
  if (!m_json.is_array()) fail(std::string("must be a list, is ") + m_json.type_name(), "write [ … ]");
  if (m_json.size() > limit) failSize(limit);
  std::vector<JsonView> views;
  for (std::size_t index = 0; index < m_json.size(); ++index)
    views.push_back({m_json[index], m_file, m_path + "[" + std::to_string(index) + "]", m_guide});
  return views;
}

std::vector<std::pair<std::string, JsonView>> JsonView::members(std::size_t limit) const {
  requireObject();
  if (m_json.size() > limit) failSize(limit);
  std::vector<std::pair<std::string, JsonView>> views;
  for (const auto& [key, value] : m_json.items())
    views.push_back({key, JsonView(value, m_file, pathOf(key), m_guide)});
  return views;
}

void JsonView::failSize(std::size_t limit) const {
  fail("has " + std::to_string(m_json.size()) + " entries", "give at most " + std::to_string(limit));
}

void JsonView::requireObject() const {
  if (!m_json.is_object()) fail(std::string("must be an object, is ") + m_json.type_name(), "write { … }");
}

void JsonView::allowOnly(const std::vector<std::string>& known) const {
  requireObject();
  for (const auto& [key, value] : m_json.items()) {
    if (std::count(known.begin(), known.end(), key) > 0) continue;
    const std::string nearest = nearestName(key, known);
    throw SceneError(m_file, pathOf(key), "is not a known field",
                     nearest.empty() ? "known here are " + listed(known) : "did you mean '" + nearest + "'?");
  }
}

double JsonView::number() const {
  if (!m_json.is_number())
    fail(std::string("must be a number, is ") + m_json.type_name(),
         "write a number without quotes, in SI units");
  const double value = m_json.get<double>();
  if (!(std::abs(value) <= kLargestNumber)) fail("is beyond 1e30", "give a value in SI units");
  return value;
}

double JsonView::positive() const {
  const double value = number();
  if (!(value > 0)) fail("must be positive, is " + m_json.dump(), "give a value above 0");
  if (value < 1 / kLargestNumber) fail("is below 1e-30", "give a value in SI units");
  return value;
}

double JsonView::nonNegative() const {
  const double value = number();
  if (!(value >= 0)) fail("must not be negative, is " + m_json.dump(), "give 0 or a value above it");
  return value;
}

int JsonView::integer(int minimum, int maximum) const { return static_cast<int>(count(minimum, maximum)); }

long JsonView::count(long minimum, long maximum) const {
  // From this number on double skips integers.
  constexpr double kExact = 0x1p53;
  const double value = number();
  if (value != std::floor(value) || std::abs(value) >= kExact || value < static_cast<double>(minimum) ||
      value > static_cast<double>(maximum))
    fail("must be a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum) +
             ", is " + m_json.dump(),
         "give one in that range");
  return static_cast<long>(value);
}

bool JsonView::boolean() const {
  if (!m_json.is_boolean())
    fail(std::string("must be true or false, is ") + m_json.type_name(),
         "write true or false without quotes");
  return m_json.get<bool>();
}

std::string JsonView::text() const {
  if (!m_json.is_string())
    fail(std::string("must be a text, is ") + m_json.type_name(), "write it in double quotes");
  const std::string text = m_json.get<std::string>();
  if (text.find('\0') != std::string::npos) fail("holds a zero character", "remove it");
  return text;
}

std::string JsonView::oneOf(const std::vector<std::string>& words) const {
  const std::string word = text();
  if (std::count(words.begin(), words.end(), word) > 0) return word;
  const std::string nearest = nearestName(word, words);
  fail("'" + word + "' is unknown",
       nearest.empty() ? "use one of " + listed(words) : "did you mean '" + nearest + "'?");
}

std::vector<double> JsonView::numbers(std::size_t limit) const {
  std::vector<double> values;
  for (const JsonView& entry : items(limit)) values.push_back(entry.number());
  return values;
}

Vec3 JsonView::vector() const {
  const std::vector<JsonView> entries = items(3);
  if (entries.size() != 3)
    fail("must have three numbers, has " + std::to_string(entries.size()), "write [x, y, z]");
  Vec3 vector;
  for (int axis = 0; axis < 3; ++axis) {
    vector[axis] = entries[axis].number();
    if (std::abs(vector[axis]) > kLargestComponent)
      entries[axis].fail("is beyond 1e9, is " + entries[axis].json().dump(),
                         "give lengths in m, speeds in m/s");
  }
  return vector;
}

Quaternion JsonView::rotation() const {
  Quaternion q;
  if (m_json.is_object()) {
    allowOnly({"axis", "angle_deg"});
    const Vec3 axis = at("axis").vector();
    if (!(axis.norm() > 0)) at("axis").fail("has no length", "give the direction of the axis");
    const double angle = at("angle_deg").number() * M_PI / 180;
    const Vec3 imaginary = std::sin(angle / 2) * axis / axis.norm();
    q = Quaternion(std::cos(angle / 2), imaginary.x(), imaginary.y(), imaginary.z());
  } else {
    const std::vector<JsonView> entries = items(4);
    if (entries.size() != 4)
      fail("must have four numbers, has " + std::to_string(entries.size()),
           "write [w, x, y, z] or {\"axis\": [x, y, z], \"angle_deg\": a}");
    q = Quaternion(entries[0].number(), entries[1].number(), entries[2].number(), entries[3].number());
    if (!(q.norm() > 1e-6))
      fail("has no length", "give a unit quaternion [w, x, y, z], for example [1, 0, 0, 0]");
  }
  q.normalize();
  return q;
}

std::string nearestName(const std::string& word, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t best = 4;  // more than three wrong letters are no typing error
  if (word.size() > 100) return nearest;
  for (const std::string& name : known)
    if (const std::size_t d = editDistance(word, name); d < best) {
      best = d;
      nearest = name;
    }
  return nearest;
}

}  // namespace touchstone
