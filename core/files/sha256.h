#pragma once

#include <string>

namespace touchstone {

/// SHA-256 of the bytes (FIPS 180-4), 64 hexadecimal digits, for checks by other programs.
std::string sha256(const std::string& bytes);
/// The same of a file of any size. @throws SceneError if it cannot be read
std::string sha256OfFile(const std::string& path);

}  // namespace touchstone
