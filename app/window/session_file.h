#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "app/plots/plot_tile.h"
#include "core/run/command.h"
#include "widgets/views/camera_state.h"
#include "widgets/views/view_settings.h"

namespace touchstone {

/// Data that restores a window: scene, panes and parameters, cameras, view, plots, layout. Computed frames
/// are not included; they are in recordings.
struct SessionFile {
  QString source;     ///< scene or recording; relative to the session file if possible
  QString sceneName;  ///< name of a shipped scene, in case `source` has moved; may be empty
  std::optional<command::SetAll> comparison;  ///< none: the panes of the recording
  std::vector<CameraState> cameras;           ///< [paneCount]
  bool camerasLinked = true;
  ViewSettings view;
  int reference = 0;   ///< id of the reference pane
  QStringList plots;   ///< key of the quantity of each tile
  int largePlot = -1;  ///< tile that is shown alone; −1: none
  PlotOptions plotOptions;
  long markers[2] = {-1, -1};  ///< frames of markers A and B of the plots; −1: none
  double speed = 1;
  QString arrangement;  ///< name of the arrangement of docks; empty: none
  QByteArray layout;    ///< layout of docks, QMainWindow::saveState()
};

/// True if a file is marked as a session; false too if it cannot be read.
bool isSessionFile(const QString& path);
/// @throws SceneError with file, problem and remedy
SessionFile readSession(const QString& path);
/// @return empty, or why the file cannot be written
QString writeSession(const SessionFile& session, const QString& path);

}  // namespace touchstone
