#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/run/command.h"
#include "widgets/views/camera_state.h"
#include "widgets/views/view_settings.h"

namespace touchstone {

/// Everything that a window needs to look again as it did: scene, panes and parameters, cameras, view, plots,
/// layout. Not what was computed: that is a recording.
struct SessionFile {
  QString source;     ///< scene or recording; in the file relative to it where that is possible
  QString sceneName;  ///< of a shipped scene, where `source` has moved; may be empty
  std::optional<command::SetAll> comparison;  ///< none: as the recording has it
  std::vector<CameraState> cameras;           ///< [paneCount]
  bool camerasLinked = true;
  ViewSettings view;
  int reference = 0;  ///< id of the pane that the others are compared with
  QStringList plots;  ///< key of the quantity of each tile
  double speed = 1;
  QByteArray layout;  ///< of docks, QMainWindow::saveState()
};

/// Whether a file says that it is a session; false too if it cannot be read.
bool isSessionFile(const QString& path);
/// @throws SceneError naming the file, the problem and the remedy
SessionFile readSession(const QString& path);
/// @return empty, or why it cannot be written
QString writeSession(const SessionFile& session, const QString& path);

}  // namespace touchstone
