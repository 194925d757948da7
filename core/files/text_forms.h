#pragma once

#include <string>

#include "core/math/vec.h"

namespace touchstone {

/// Whether a name can be part of a file name as it is: 1 to 100 letters, digits, - and _ of ASCII.
bool isPlainName(const std::string& text);
/// Any text as part of a file name: what is no ASCII letter, digit, - or _ becomes one -, at most 100
/// characters. "x" where nothing is left.
std::string plainName(const std::string& text);

/// Text inside XML or HTML, attributes in double quotes included. What XML cannot hold (control characters
/// but tab and line breaks) becomes a blank.
std::string xmlText(const std::string& text);

/// A number in four digits, for people.
std::string fourDigits(double value);

/// A file as a URI, whatever characters its path has. @param query  for example "immutable=1", or empty
std::string fileUri(const std::string& path, const std::string& query = {});

/// Shortest decimal text that reads back to the same double; empty for NaN.
std::string csvNumber(double value);
/// Three cells, each with a comma before.
std::string csvVector(const Vec3& v);
/// A cell, quoted only where RFC 4180 asks for it.
std::string csvText(const std::string& text);

}  // namespace touchstone
