#include "app/cli/figure_files.h"
#include <stdexcept>
namespace touchstone::cli {
bool canDraw() { return false; }
void writeFigure(const Figure&, const std::string&) { throw std::runtime_error("no figures"); }
}
