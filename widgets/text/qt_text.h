#pragma once

#include <QString>
#include <QTextDocument>
#include <string>

namespace touchstone {

/// Converts a text of core, which is UTF-8, for Qt.
inline QString qtText(const std::string& text) { return QString::fromStdString(text); }

/// Escapes a text that may come from a file for a tool tip. Qt interprets some texts as HTML, with images and
/// links.
inline QString plainToolTip(const QString& text) {
  return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text) : text;
}

}  // namespace touchstone
