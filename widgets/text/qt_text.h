#pragma once

#include <QString>
#include <QTextDocument>
#include <string>

namespace touchstone {

/// A text of core, which is UTF-8, for Qt.
inline QString qtText(const std::string& text) { return QString::fromStdString(text); }

/// A text that may come from a file, for a tool tip: Qt takes some texts for HTML, with images and links.
inline QString plainToolTip(const QString& text) {
  return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text) : text;
}

}  // namespace touchstone
