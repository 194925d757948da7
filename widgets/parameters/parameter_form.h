#pragma once

#include <QWidget>
#include <vector>

#include "widgets/parameters/parameter_editor.h"

namespace touchstone {

/// A labelled list of parameter editors.
class ParameterForm : public QWidget {
  Q_OBJECT
 public:
  /// @param standards  values of the reset buttons; a missing key resets to the default
  ParameterForm(const std::vector<ParameterSpec>& specs, const ParameterValues& standards,
                QWidget* parent = nullptr);
  /// Shows values; a missing key shows its standard value. Sends nothing.
  void setValues(const ParameterValues& values);
  /// The editor of a key, or null.
  ParameterEditor* editor(const std::string& key) const;

 Q_SIGNALS:
  void edited(const std::string& key, const touchstone::ParameterValue& value);
  /// The context menu of a number is asked for.
  void menuRequested(const std::string& key, const QPoint& globalPosition);

 private:
  std::vector<ParameterEditor*> m_editors;
};

}  // namespace touchstone
