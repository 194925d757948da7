#include "app/exports/comparison_picture.h"

#include <QFontMetricsF>
#include <QObject>
#include <QPainter>
#include <cmath>

#include "app/branches/branch_pane_widget.h"
#include "app/panels/pane_grid.h"
#include "app/panels/pane_widget.h"
#include "app/plots/plot_panel.h"
#include "app/session/session.h"
#include "core/math/count.h"
#include "widgets/palette.h"
#include "widgets/plots/plot_view.h"
#include "widgets/views/scene_view.h"

namespace touchstone {

namespace {

// Relative to the width. A larger value shrinks the panes, a smaller one the plots.
constexpr double kPlotShare = 0.38;
// Relative to the picture's height. A larger value hides the panes; a smaller one is not legible in print.
constexpr double kTextShare = 0.0175;
constexpr int kPlotColumns = 2;

struct Cells {
  int columns, rows;
  QRect at(int index, const QRect& area) const {
    const int width = area.width() / columns, height = area.height() / rows;
    return {area.left() + index % columns * width, area.top() + index / columns * height, width, height};
  }
};

int headerHeight(const QPainter& painter) {
  return static_cast<int>(1.7 * QFontMetricsF(painter.font()).height());
}

/// One pane of the picture.
struct PicturePane {
  QString label, method;
  RecordPtr record;
  SceneView* view;
  bool isOfBranch = false;  ///< of one that is not shown
};

/// The panes of the shown branch, then those of others.
std::vector<PicturePane> picturePanes(const Session& session, const PaneGrid& grid) {
  std::vector<PicturePane> panes;
  for (int pane = 0; pane < session.paneCount(); ++pane) {
    const PaneSpan& span = session.spanAt(pane, session.cursor());
    panes.push_back({span.label, span.method, session.shown(pane), grid.panes()[pane]->view()});
  }
  for (const BranchPaneWidget* pane : grid.branchPanes())
    panes.push_back({session.labelOf(pane->pane()), session.spansOf(pane->pane()).back().method,
                     session.shownOf(pane->pane()), pane->view(), true});
  return panes;
}

void paintPane(QPainter& painter, const PicturePane& pane, const QRect& cell, double frame) {
  const int line = headerHeight(painter);
  const QRect header(cell.topLeft(), QSize(cell.width(), line));
  const QRect picture = cell.adjusted(0, line, 0, 0);
  const QColor colour = methodColour(pane.method);
  painter.fillRect(QRect(header.topLeft(), QSize(line / 3, line)), colour);
  painter.setPen(Qt::black);
  QFont bold = painter.font();
  const QFont plain = bold;
  bold.setBold(true);
  painter.setFont(bold);
  painter.drawText(header.adjusted(line / 2, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, pane.label);
  painter.setFont(plain);
  if (const RecordPtr record = pane.record) {
    const QString status =
        record->status == StepStatus::Ok ? QString() : QString::fromLatin1(toString(record->status));
    const double ms = record->quantities[Quantity::TimeStep];
    const std::size_t count = record->contacts.size();
    const QString numbers =
        (count == 1 ? QObject::tr("%1 ms · %2 contact") : QObject::tr("%1 ms · %2 contacts"))
            .arg(std::isnan(ms) ? 0 : ms, 0, 'f', 2)
            .arg(count);
    painter.setPen(record->status == StepStatus::Ok ? QColor(0x40, 0x40, 0x40)
                                                    : statusColour(record->status));
    painter.drawText(header, Qt::AlignRight | Qt::AlignVCenter, status.isEmpty() ? numbers : status);
  }
  if (!pane.record && pane.isOfBranch) {
    painter.drawText(picture, Qt::AlignCenter, QObject::tr("no frame at this time"));
    return;
  }
  painter.drawImage(picture,
                    pane.view->renderToImage(picture.size(), painter.font().pixelSize() / 14.0, frame));
}

}  // namespace

QImage comparisonPicture(const Session& session, PaneGrid& grid, PlotPanel& plots,
                         const PictureOptions& options) {
  QImage image(options.size, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing |
                         QPainter::SmoothPixmapTransform);
  QFont font = painter.font();
  font.setPixelSize(std::max(9, static_cast<int>(std::lround(kTextShare * options.size.height()))));
  painter.setFont(font);
  const int titleHeight = static_cast<int>(2 * QFontMetricsF(font).height());
  const QRect whole(QPoint(0, 0), options.size);
  const QRect title = QRect(whole.topLeft(), QSize(whole.width(), titleHeight))
                          .adjusted(titleHeight / 2, 0, -titleHeight / 2, 0);
  QFont bold = font;
  bold.setBold(true);
  painter.setFont(bold);
  if (session.scene())
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, QString::fromStdString(session.scene()->title));
  painter.drawText(title, Qt::AlignRight | Qt::AlignVCenter,
                   QObject::tr("t = %1 s").arg(session.timeAt(session.cursor()), 0, 'f', 3));
  painter.setFont(font);
  QRect area = whole.adjusted(0, titleHeight, 0, 0);
  if (options.plots) {
    const QRect side = area.adjusted(static_cast<int>((1 - kPlotShare) * area.width()), 0, 0, 0);
    area.setRight(side.left() - 1);
    const int count = countOf(plots.tiles());
    const Cells cells{kPlotColumns, (count + kPlotColumns - 1) / kPlotColumns};
    for (int tile = 0; tile < count; ++tile) {
      const QRect cell = cells.at(tile, side);
      plots.tiles()[tile]->refreshData();
      plots.tiles()[tile]->refreshCursor();
      painter.drawImage(cell.topLeft(), plots.tiles()[tile]->picture(cell.size(), font));
    }
  }
  if (grid.viewSettings().scalarBar) {
    const QRect strip(area.left(), area.bottom() + 1 - titleHeight, area.width(), titleHeight);
    paintLegend(painter, strip, grid.legend(), Qt::black);
    area.setBottom(strip.top() - 1);
  }
  const int gap = std::max(4, area.width() / 200), line = headerHeight(painter);
  const std::vector<PicturePane> panes = picturePanes(session, grid);
  const std::vector<QRect> cells = paneCells(countOf(panes), area.adjusted(gap, gap, -gap, -gap), gap, line);
  double frame = area.height();
  for (const QRect& cell : cells) frame = std::min(frame, frameHeight(cell.width(), cell.height() - line));
  for (std::size_t pane = 0; pane < cells.size(); ++pane) paintPane(painter, panes[pane], cells[pane], frame);
  return image;
}

}  // namespace touchstone
