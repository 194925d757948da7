#pragma once

#include <QWidget>
#include <string>
#include <vector>

class QLabel;
class QTabWidget;

namespace touchstone {

class ParameterForm;
class Session;

/// Dock page: the scene's frame length, then one tab per pane with the parameters of its method.
class ParameterPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ParameterPanel(Session* session, QWidget* parent = nullptr);
  ParameterForm* sceneForm() const { return m_sceneForm; }
  /// Form of a pane, or null.
  ParameterForm* paneForm(int pane) const;

 private:
  void refresh();
  void rebuild();
  void addPaneTab(int pane);
  void showAutomatic(int pane);
  std::vector<std::string> signature() const;

  Session* m_session;
  ParameterForm* m_sceneForm;
  QTabWidget* m_tabs;
  std::vector<ParameterForm*> m_forms;
  std::vector<std::string> m_built;  ///< state for which the tabs were built
};

}  // namespace touchstone
