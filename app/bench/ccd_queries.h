#pragma once

#include <string>

namespace touchstone::cli {

/// Tests continuous collision detection on queries with known answers (in the format of the public
/// benchmark). Exit code 1 on a false negative.
int verifyCcdQueries(const std::string& folder);

}  // namespace touchstone::cli
