#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace touchstone {

/// Parses the text of a file that anybody may have written. Beside what is no JSON it refuses what the parser
/// would let pass: nesting deeper than 32 levels, a field twice in one object (of which the parser keeps the
/// last), a zero character (which ends the text for the parser) and numbers beyond the range of double.
/// @param file  named by errors   @throws SceneError
nlohmann::json parseJson(const std::string& text, const std::string& file);

/// A regular file of at most 64 MiB, parsed so. @param remedy  what to give instead of a file that cannot be
/// read   @throws SceneError
nlohmann::json readJson(const std::string& path, const char* remedy);

}  // namespace touchstone
