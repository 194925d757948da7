#pragma once

#include <QWidget>
#include <vector>

#include "widgets/parameters/parameter_editor.h"

namespace touchstone {

/// A labelled list of parameter editors.
class ParameterForm : public QWidget {
  Q_OBJECT
 public:
  /// @param standards  what the reset buttons give; keys that are absent reset to the default
  ParameterForm(const std::vector<ParameterSpec>& specs, const ParameterValues& standards,
                QWidget* parent = nullptr);
  /// Shows values; keys that are absent show their standard. Sends nothing.
  void setValues(const ParameterValues& values);
  /// The editor of a key, or null.
  ParameterEditor* editor(const std::string& key) const;

 Q_SIGNALS:
  void edited(const std::string& key, const touchstone::ParameterValue& value);

 private:
  std::vector<ParameterEditor*> m_editors;
};

}  // namespace touchstone
