#pragma once

#include <QImage>
#include <QSize>

namespace touchstone {

class PaneGrid;
class PlotPanel;
class Session;

struct PictureOptions {
  QSize size = QSize(1920, 1080);  ///< pixels
  bool plots = true;               ///< include the plots
};

/// All panes at the cursor with titles, and the plots, as one image of any size. It is rendered at that size,
/// not taken from the screen, in light colours. Bodies, camera, colours and arrows are those of the views.
QImage comparisonPicture(const Session& session, PaneGrid& grid, PlotPanel& plots,
                         const PictureOptions& options);

}  // namespace touchstone
