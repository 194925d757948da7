#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace touchstone {

/// Parses the text of a file from an untrusted source. It refuses invalid JSON, and also what the parser
/// would accept: nesting deeper than 32 levels, a field that occurs twice in one object (the parser keeps the
/// last), a zero character (it ends the text for the parser) and numbers beyond the range of double.
/// @param file  name in error messages   @throws SceneError
nlohmann::json parseJson(const std::string& text, const std::string& file);

/// Reads and parses a regular file of at most 64 MiB. @param remedy  advice if the file cannot be read
/// @throws SceneError
nlohmann::json readJson(const std::string& path, const char* remedy);

}  // namespace touchstone
