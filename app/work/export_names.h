#pragma once

#include <QDateTime>
#include <QString>

namespace touchstone {

/// `<scene>_<method>_<quantity>_<yyyymmdd-hhmmss>.<extension>`; characters other than letters, digits, '-'
/// and '_' become '-', so that the name works on every file system.
QString exportName(const QString& scene, const QString& method, const QString& quantity,
                   const QDateTime& when, const QString& extension);

/// `path`, or `path` with -2, -3, … before the ending if it exists.
QString freePath(const QString& path);

}  // namespace touchstone
