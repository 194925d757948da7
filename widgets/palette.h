#pragma once

#include <QColor>
#include <QPalette>
#include <QString>
#include <array>

#include "core/record/step_record.h"

namespace touchstone {

/// Colour of a method in pane frames, curves and legends (Okabe and Ito 2008, safe for colour-blind readers).
/// Unknown methods are grey.
QColor methodColour(const QString& methodKey);
/// Dash of a method's curves, a Qt::PenStyle.
int methodDash(const QString& methodKey);
/// Colours of several panes of one method: the first has the method's colour, others another lightness, from
/// the fifth on a neighbouring hue. Dashes and markers differ too.
QColor variantColour(const QString& methodKey, int variant);
/// The colour, darker or lighter as far as it takes to have a contrast of 3:1 (WCAG 2.1) with a ground.
QColor legibleOn(const QColor& colour, const QColor& ground);
/// Contrast of two colours, 1 to 21 (WCAG 2.1).
double contrastOf(const QColor& one, const QColor& other);
/// Viridis at t in 0 … 1, clamped; NaN is a neutral grey outside the map. Components 0 … 1, sRGB.
std::array<double, 3> viridis(double t);

/// Cool to warm (Moreland 2009) at t in −1 … 1, clamped: blue below 0, light grey at 0, red above; NaN is a
/// darker grey outside the map. Components 0 … 1, sRGB.
std::array<double, 3> coolToWarm(double t);

/// Colour of a pane's badge, on which white text is legible.
QColor statusColour(StepStatus status);

/// Colours of plots and views over a light or dark background.
struct ThemeColours {
  QColor background, backgroundTop;  ///< plots use the first; views fade from it (bottom) to the second (top)
  QColor text, axis, grid;
  QColor ground, edge;       ///< grid lines of the ground; feature edges of bodies
  QColor warm, cool, alarm;  ///< for short texts: choices of the user, notes of a scene, present activity
};
const ThemeColours& themeColours(bool dark);
/// True if windows with these colours are dark.
bool isDark(const QPalette& palette);

}  // namespace touchstone
