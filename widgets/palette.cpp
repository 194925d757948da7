#include "widgets/palette.h"

#include <algorithm>
#include <cmath>

#include "core/contact/method_info.h"

namespace touchstone {

namespace {

constexpr QRgb kUnknown = 0x808080;

/// Relative luminance of sRGB (WCAG 2.1).
double luminanceOf(const QColor& colour) {
  const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

const MethodInfo* infoOf(const QString& key) { return findMethod(key.toStdString()); }

/// Viridis (Smith and van der Walt 2015) at t = 0, 0.1, … 1; linear between, with an error below 0.02 per
/// channel.
constexpr QRgb kViridis[] = {0x440154, 0x482576, 0x414487, 0x35608D, 0x2A788E, 0x21908C,
                             0x22A884, 0x43BF71, 0x7AD151, 0xBBDF27, 0xFDE725};
/// Its nine published colours, from −1 to 1.
constexpr QRgb kCoolToWarm[] = {0x3B4CC0, 0x6282EA, 0x8DB0FE, 0xB8D0F9, 0xDDDDDD,
                                0xF5C4AD, 0xF49A7B, 0xDE604D, 0xB40426};

/// Colour at t in 0 … 1 of a map that is linear between equidistant colours.
template <std::size_t count>
std::array<double, 3> between(const QRgb (&colours)[count], double t) {
  if (std::isnan(t)) return {0.6, 0.6, 0.6};
  constexpr int kLast = static_cast<int>(count) - 1;
  const double position = std::clamp(t, 0.0, 1.0) * kLast;
  const int below = std::min(static_cast<int>(position), kLast - 1);
  const double part = position - below;
  const QColor low(colours[below]), high(colours[below + 1]);
  const auto mix = [part](double a, double b) { return a + part * (b - a); };
  return {mix(low.redF(), high.redF()), mix(low.greenF(), high.greenF()), mix(low.blueF(), high.blueF())};
}

}  // namespace

QColor methodColour(const QString& methodKey) {
  const MethodInfo* method = infoOf(methodKey);
  return QColor(method ? static_cast<QRgb>(method->colour) : kUnknown);
}

QColor variantColour(const QString& methodKey, int variant) {
  QColor base = methodColour(methodKey);
  if (variant >= 4)
    base.setHsv((base.hsvHue() + 35 * (variant / 4)) % 360, base.hsvSaturation(), base.value());
  switch (variant % 4) {
    case 1:
      return base.darker(150);
    case 2:
      return base.lighter(135);
    case 3:
      return base.darker(220);
    default:
      return base;
  }
}

double contrastOf(const QColor& one, const QColor& other) {
  const double a = luminanceOf(one), b = luminanceOf(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

QColor legibleOn(const QColor& colour, const QColor& ground) {
  // WCAG 2.1, 1.4.11. A larger value makes methods look alike; with a smaller one curves vanish.
  constexpr double kLeast = 3;
  constexpr int kParts = 50;  // of the way to black or white
  const bool isDarkGround = luminanceOf(ground) < 0.18;
  const double end = isDarkGround ? 1 : 0;
  for (int part = 0; part <= kParts; ++part) {
    const double share = static_cast<double>(part) / kParts;
    const auto mixed = [share, end](double value) { return value + share * (end - value); };
    QColor next = QColor::fromRgbF(mixed(colour.redF()), mixed(colour.greenF()), mixed(colour.blueF()));
    if (contrastOf(next, ground) < kLeast) continue;
    next.setAlpha(colour.alpha());
    return next;
  }
  return isDarkGround ? Qt::white : Qt::black;
}

int methodDash(const QString& methodKey) {
  const MethodInfo* method = infoOf(methodKey);
  switch (method ? method->dash : LineDash::Solid) {
    case LineDash::Solid:
      return Qt::SolidLine;
    case LineDash::Dash:
      return Qt::DashLine;
    case LineDash::Dot:
      return Qt::DotLine;
    case LineDash::DashDot:
      return Qt::DashDotLine;
    case LineDash::DashDotDot:
      return Qt::DashDotDotLine;
  }
  return Qt::SolidLine;
}

std::array<double, 3> viridis(double t) { return between(kViridis, t); }

std::array<double, 3> coolToWarm(double t) { return between(kCoolToWarm, 0.5 + 0.5 * t); }

QColor statusColour(StepStatus status) {
  switch (status) {
    case StepStatus::Ok:
      return QColor(0x25, 0x79, 0x4A);
    case StepStatus::Energy:
      return QColor(0xBF, 0x4A, 0x08);
    case StepStatus::NotConverged:
      return QColor(0x94, 0x60, 0x00);
    case StepStatus::NoSolution:
      return QColor(0xB0, 0x3A, 0x8C);
    case StepStatus::Diverged:
      return QColor(0xC6, 0x28, 0x28);
    case StepStatus::Stopped:
      return QColor(0x5A, 0x5A, 0x5A);
  }
  return Qt::gray;
}

const ThemeColours& themeColours(bool dark) {
  static const ThemeColours light = {
      QColor(0xFF, 0xFF, 0xFF), QColor(0xD5, 0xE0, 0xEC), QColor(0x20, 0x24, 0x28), QColor(0x50, 0x56, 0x5C),
      QColor(0xE2, 0xE5, 0xE9), QColor(0x8C, 0x98, 0xA6), QColor(0x30, 0x36, 0x3C), QColor(0xB3, 0x44, 0x00),
      QColor(0x00, 0x72, 0xB2), QColor(0xC0, 0x26, 0x1E)};
  static const ThemeColours night = {
      QColor(0x1E, 0x22, 0x27), QColor(0x3A, 0x44, 0x50), QColor(0xF0, 0xF2, 0xF4), QColor(0xB4, 0xBA, 0xC2),
      QColor(0x3A, 0x40, 0x48), QColor(0x6E, 0x7A, 0x88), QColor(0x10, 0x13, 0x16), QColor(0xFF, 0x9E, 0x40),
      QColor(0x6C, 0xB4, 0xEE), QColor(0xFF, 0x7A, 0x6E)};
  return dark ? night : light;
}

bool isDark(const QPalette& palette) { return palette.color(QPalette::Window).lightness() < 128; }

}  // namespace touchstone
