#pragma once

#include <cstddef>
#include <string>

#include "core/scene/scene.h"

namespace touchstone {

constexpr std::size_t kMostFileBytes = std::size_t(64) << 20;

/// Whole contents of a regular file of at most kMostFileBytes; no pipe, device or folder is opened.
/// @param remedy  what to do where it cannot be read   @throws SceneError
std::string readFile(const std::string& path, const char* remedy);

/// FNV-1a of the bytes, 16 hexadecimal digits.
std::string hashOf(const std::string& bytes);

/// The same with its hash. @throws SceneError
SourceFile readSource(const std::string& path, const char* remedy);

}  // namespace touchstone
