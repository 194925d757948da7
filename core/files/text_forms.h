#pragma once

#include <string>

#include "core/math/vec.h"

namespace touchstone {

/// True if a name can be part of a file name unchanged: 1 to 100 ASCII letters, digits, - and _.
bool isPlainName(const std::string& text);
/// Converts a text to a part of a file name: each run of other characters than ASCII letters, digits, - and _
/// becomes one -, at most 100 characters. Returns "x" if nothing is left.
std::string plainName(const std::string& text);

/// Escapes a text for XML or HTML, including attributes in double quotes. Control characters that XML cannot
/// hold (all but tab and line breaks) become a space.
std::string xmlText(const std::string& text);

/// A text that TeX shows letter by letter: none of its signs is a command, and signs of units are formulas.
std::string texText(const std::string& text);

/// A number with four digits, for display.
std::string fourDigits(double value);

/// The extension of a path in lower case, with the dot.
std::string lowerExtensionOf(const std::string& path);

/// A text made as std::printf makes it, of at most 511 bytes.
std::string formatted(const char* pattern, ...);

/// A file as a URI, for any characters in its path. @param query  for example "immutable=1", or empty
std::string fileUri(const std::string& path, const std::string& query = {});

/// Shortest decimal text that reads back to the same double; empty for NaN.
std::string csvNumber(double value);
/// Three cells, each preceded by a comma.
std::string csvVector(const Vec3& v);
/// A cell, quoted only if RFC 4180 requires it.
std::string csvText(const std::string& text);

}  // namespace touchstone
