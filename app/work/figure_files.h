#pragma once

#include <string>

#include "core/study/figure.h"

namespace touchstone {

/// Of the files of a figure, in the order in which they are written.
inline constexpr const char* kFigureExtensions[] = {".png", ".svg", ".pdf"};

/// Whether this program was built with what draws figures (Qt).
bool canDraw();

/// Writes a figure as .png, .svg and .pdf, each whole or not at all. It needs no display.
/// @throws std::runtime_error if a file cannot be written, or if canDraw() is false
void writeFigure(const Figure& figure, const std::string& pathWithoutExtension);

}  // namespace touchstone
