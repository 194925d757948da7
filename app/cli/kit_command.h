#pragma once

#include <string>
#include <vector>

#include "app/cli/conform_command.h"
#include "core/conform/conformance.h"

/// Parts of `touchstone-cli conform` for authors of engines.
namespace touchstone::cli {

/// The card of the methods that the options name.
Card cardOfMethods(const ConformOptionsOfCli& options, const std::vector<Phenomenon>& phenomena,
                   ConformSettings settings);

/// Writes the runs of phenomena into a folder, with a script to begin with.
int writeKit(const ConformOptionsOfCli& options);
/// Prints what a folder of trajectories lacks. Exit code 1 if something is missing.
int checkFolder(const ConformOptionsOfCli& options);
/// Prints what contradicts in a card.json, and the card beside ours. Exit code 1 if something does.
int verifyCard(const ConformOptionsOfCli& options);

}  // namespace touchstone::cli
