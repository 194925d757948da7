#pragma once

#include <string>

#include "core/study/figure.h"

namespace touchstone {

/// Endings of the files of a figure, in the order in which they are written.
inline constexpr const char* kFigureExtensions[] = {".png", ".svg", ".pdf"};

/// True if this program was built with Qt, which draws figures.
bool canDraw();

/// Writes a figure as .png, .svg and .pdf, each whole or not at all. It needs no display.
/// @throws std::runtime_error if a file cannot be written, or if canDraw() is false
void writeFigure(const Figure& figure, const std::string& pathWithoutExtension);

}  // namespace touchstone
