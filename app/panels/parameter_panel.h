#pragma once

#include <QWidget>
#include <string>
#include <vector>

class QGroupBox;
class QLabel;
class QTabWidget;

namespace touchstone {

class ParameterForm;
class Session;

/// Dock page: the scene's frame length and drives, then one tab per pane with the parameters of its method.
class ParameterPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ParameterPanel(Session* session, QWidget* parent = nullptr);
  ParameterForm* sceneForm() const { return m_sceneForm; }
  /// Targets of the drives of all panes, or null where the scene has none.
  ParameterForm* driveForm() const { return m_driveForm; }
  /// Form of a pane, or null.
  ParameterForm* paneForm(int pane) const;

 Q_SIGNALS:
  /// @param key  of a parameter of the pane's method, or "dt"
  void varyRequested(int pane, const QString& key);

 private:
  void offerVariation(ParameterForm* form, int pane);
  void refresh();
  void rebuild();
  void addPaneTab(int pane);
  void rebuildDrives();
  void refreshDrives();
  void showAutomatic(int pane);
  std::vector<std::string> signature() const;

  Session* m_session;
  ParameterForm *m_sceneForm, *m_driveForm = nullptr;
  QGroupBox* m_drives;  ///< hidden where the scene has none
  QTabWidget* m_tabs;
  std::vector<ParameterForm*> m_forms;
  std::vector<std::string> m_built;  ///< state for which the tabs were built
};

}  // namespace touchstone
