#pragma once

#include <QString>
#include <string>

namespace touchstone {

/// A text of core, which is UTF-8, for Qt.
inline QString qtText(const std::string& text) { return QString::fromStdString(text); }

}  // namespace touchstone
