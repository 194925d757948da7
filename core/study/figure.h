#pragma once

#include <limits>
#include <string>
#include <vector>

namespace touchstone {

/// One curve of a figure as it is drawn.
struct FigureCurve {
  enum class Style { Line, Points, LineAndPoints, Theory };  ///< Theory: grey and dashed, without points
  std::string label;
  std::string method;  ///< key, whose colour it has; empty: grey (published values, formulas)
  int variant = 0;     ///< which of several curves of the method: each has a dash and a marker of its own
  Style style = Style::LineAndPoints;
  std::vector<double> x, y;       ///< a NaN in y is a gap
  std::vector<double> low, high;  ///< like y, or empty: the area between them is shaded
  std::vector<double> crosses;    ///< x of failed runs: crosses at the upper end of the panel
  /// Like y, or empty: the run (index of StudyResults::runs) that a click on the point opens; −1: none.
  std::vector<long> runs;
};

/// A published value: a line across the panel (low = high), or a band between two values; of y, or of x.
struct FigureBand {
  double low = 0, high = 0;
  bool ofX = false;
  std::string label;
};

/// A value over a grid of two numbers.
struct FigureMap {
  std::vector<double> x, y;    ///< values of the axes, ascending; cells lie around them
  std::vector<double> values;  ///< [y][x]; NaN: failed
  std::vector<char> failed;    ///< [y][x], or empty: 1 for a cell that counts as failed: its border is drawn
  std::vector<long> runs;      ///< [y][x], or empty: as of FigureCurve
  std::string label;           ///< of the colour bar, with its unit
  bool logarithmic = false;    ///< the colours
};

/// One pair of axes.
struct FigurePanel {
  std::string title, xLabel, yLabel;
  bool xLog = false, yLog = false;
  bool equalScales = false;         ///< a metre is as long on both axes (polar plots)
  std::vector<std::string> xNames;  ///< x = 0, 1, … are these names; empty: numbers
  std::vector<FigureCurve> curves;
  std::vector<FigureBand> bands;
  FigureMap map;  ///< without values: none. Its curves (theory) lie over it.
};

/// A picture of a study: panels in rows, one legend, and below them what it says.
struct Figure {
  std::string id, title;
  std::vector<FigurePanel> panels;
  int columns = 1;      ///< panels side by side
  std::string caption;  ///< sentences: agreement, or the reason for disagreement
};

}  // namespace touchstone
