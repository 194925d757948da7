#pragma once

#include <string>
#include <vector>

#include "app/cli/conform_command.h"
#include "core/conform/column.h"
#include "core/conform/phenomenon.h"

namespace touchstone::cli {

/// Phenomena of the battery by name or number, or of files; all without names.
/// @throws std::invalid_argument for an unknown name   @throws SceneError
std::vector<Phenomenon> phenomenaNamed(const std::vector<std::string>& names);

/// The columns of methods and trajectories, without those that no scene could run.
/// @throws std::invalid_argument
std::vector<CardColumn> columnsOf(const ConformOptionsOfCli& options);

}  // namespace touchstone::cli
