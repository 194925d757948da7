#include "app/work/export_names.h"

#include <QFileInfo>

#include "core/files/text_forms.h"

namespace touchstone {

namespace {

QString plain(const QString& part) { return QString::fromStdString(plainName(part.toStdString())); }

}  // namespace

QString exportName(const QString& scene, const QString& method, const QString& quantity,
                   const QDateTime& when, const QString& extension) {
  return QStringLiteral("%1_%2_%3_%4.%5")
      .arg(plain(scene), plain(method), plain(quantity), when.toString(QStringLiteral("yyyyMMdd-HHmmss")),
           extension);
}

QString freePath(const QString& path) {
  if (!QFileInfo::exists(path)) return path;
  const QFileInfo info(path);
  const QString ending = info.suffix().isEmpty() ? QString() : QLatin1Char('.') + info.suffix();
  const QString stem = path.left(path.size() - ending.size());
  int number = 2;
  while (QFileInfo::exists(QStringLiteral("%1-%2%3").arg(stem).arg(number).arg(ending))) ++number;
  return QStringLiteral("%1-%2%3").arg(stem).arg(number).arg(ending);
}

}  // namespace touchstone
