#pragma once

#include <string>

namespace touchstone {

/// SHA-256 of the bytes (FIPS 180-4), 64 hexadecimal digits: what other programs check a file by.
std::string sha256(const std::string& bytes);

}  // namespace touchstone
