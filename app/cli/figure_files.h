#pragma once
#include <string>
#include "core/sweep/figure.h"
namespace touchstone::cli {
bool canDraw();
void writeFigure(const Figure& figure, const std::string& pathWithoutExtension);
}
