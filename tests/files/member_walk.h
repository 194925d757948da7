#pragma once

#include <QtTest>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/files/scene_error.h"
#include "core/store/database.h"
#include "tests/scene/scene_folder.h"

namespace touchstone::test {

/// Changes the members of a sample of a JSON file one by one. Each function returns the places at which the
/// reader does not do what it should.
class MemberWalk {
 public:
  using Json = nlohmann::json;
  /// Reads the file at a path and returns what it holds, as text.
  using Read = std::function<std::string(const std::string& path)>;

  /// @param names  places whose keys are names, such as /hashes; * stands for an index or a name
  MemberWalk(SceneFolder& folder, std::string file, const Json& sample, Read read,
             std::set<std::string> names = {})
      : m_folder(folder),
        m_file(std::move(file)),
        m_sample(sample),
        m_read(std::move(read)),
        m_names(std::move(names)) {
    m_whole = textOf(m_sample);
  }

  /// Members without which the file reads the same.
  QStringList idle() const {
    QStringList places;
    eachMember(m_sample, Json::json_pointer(),
               [&](const Json::json_pointer& object, const std::string& name) {
                 const Json& value = m_sample[object / name];
                 if (value.is_number() && value == 0) return;  // it may be the default
                 Json changed = m_sample;
                 changed[object].erase(name);
                 try {
                   if (textOf(changed) == m_whole) places << textOf(object / name);
                 } catch (const std::exception&) {
                   // It cannot be left out.
                 }
               });
    return places;
  }

  /// Objects that take a member which no file of the kind has.
  QStringList withUnknownMembers() const {
    QStringList places;
    eachObject(m_sample, Json::json_pointer(), [&](const Json::json_pointer& object) {
      if (isNames(object)) return;
      Json changed = m_sample;
      changed[object]["colour"] = 1;
      if (!isRefused(changed, "colour")) places << textOf(object);
    });
    return places;
  }

  /// Members that may be misspelt.
  QStringList misspelt() const {
    QStringList places;
    eachMember(m_sample, Json::json_pointer(),
               [&](const Json::json_pointer& object, const std::string& name) {
                 if (isNames(object)) return;
                 Json changed = m_sample;
                 changed[object][name + name.back()] = changed[object][name];
                 changed[object].erase(name);
                 if (!isRefused(changed, name)) places << textOf(object / name);
               });
    return places;
  }

  /// Members that may have a value of another type.
  QStringList ofWrongTypes() const {
    QStringList places;
    eachMember(m_sample, Json::json_pointer(),
               [&](const Json::json_pointer& object, const std::string& name) {
                 Json changed = m_sample;
                 Json& value = changed[object / name];
                 // Neither is a word of a choice, a size of a list or a number of a list.
                 value = value.is_boolean() ? Json("yes") : Json(true);
                 if (!isRefused(changed, name)) places << textOf(object / name);
               });
    return places;
  }

 private:
  static QString textOf(const Json::json_pointer& place) {
    return place.empty() ? QStringLiteral("the file") : QString::fromStdString(place.to_string());
  }
  std::string textOf(const Json& json) const {
    return m_read(m_folder.write(QString::fromStdString(m_file), QByteArray::fromStdString(json.dump())));
  }
  /// True if the reader names the file, a word and a remedy.
  bool isRefused(const Json& json, const std::string& word) const {
    std::string problem;
    try {
      textOf(json);
      return false;
    } catch (const SceneError& error) {
      problem = error.what();
    } catch (const DatabaseError& error) {
      problem = error.what();
    } catch (const std::exception&) {
      return false;
    }
    return problem.find(m_file) != std::string::npos && problem.find(word) != std::string::npos &&
           problem.find("; ") != std::string::npos;
  }
  bool isNames(const Json::json_pointer& place) const {
    std::vector<std::string> parts;
    for (Json::json_pointer rest = place; !rest.empty(); rest = rest.parent_pointer())
      parts.insert(parts.begin(), rest.back());
    for (const std::string& pattern : m_names) {
      const QStringList words = QString::fromStdString(pattern).split('/').mid(1);
      bool isSame = static_cast<std::size_t>(words.size()) == parts.size();
      for (std::size_t k = 0; isSame && k < parts.size(); ++k) {
        const QString word = words[static_cast<int>(k)];
        isSame = word == QLatin1String("*") || word.toStdString() == parts[k];
      }
      if (isSame) return true;
    }
    return false;
  }
  template <class Visit>
  static void eachObject(const Json& json, const Json::json_pointer& place, const Visit& visit) {
    if (json.is_object()) {
      visit(place);
      for (const auto& [name, value] : json.items()) eachObject(value, place / name, visit);
    } else if (json.is_array()) {
      for (std::size_t index = 0; index < json.size(); ++index) eachObject(json[index], place / index, visit);
    }
  }
  template <class Visit>
  static void eachMember(const Json& json, const Json::json_pointer& place, const Visit& visit) {
    eachObject(json, place, [&](const Json::json_pointer& object) {
      for (const auto& item : json[object].items()) visit(object, item.key());
    });
  }

  SceneFolder& m_folder;
  std::string m_file;
  Json m_sample;
  Read m_read;
  std::set<std::string> m_names;
  std::string m_whole;
};

}  // namespace touchstone::test
