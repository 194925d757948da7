#pragma once

#include <Eigen/Core>
#include <QDir>
#include <QFile>
#include <nlohmann/json.hpp>
#include <vector>

namespace touchstone::test {

/// The reference file tests/vectors/<stem>.json and any <stem>*.json in the folder that TOUCHSTONE_VECTORS
/// names.
inline std::vector<nlohmann::json> referenceFiles(const QString& stem) {
  QStringList paths = {QStringLiteral(TS_SOURCE_DIR "/tests/vectors/%1.json").arg(stem)};
  const QString folder = qEnvironmentVariable("TOUCHSTONE_VECTORS");
  if (!folder.isEmpty())
    for (const QString& name : QDir(folder).entryList({stem + "*.json"}, QDir::Files, QDir::Name))
      paths << QDir(folder).filePath(name);
  std::vector<nlohmann::json> files;
  for (const QString& path : paths) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot open %s", qPrintable(path));
    files.push_back(nlohmann::json::parse(file.readAll().toStdString()));
  }
  return files;
}

/// Converts arrays of numbers, and of rows.
inline Eigen::VectorXd vectorOf(const nlohmann::json& values) {
  Eigen::VectorXd result(values.size());
  for (std::size_t index = 0; index < values.size(); ++index) result[index] = values[index].get<double>();
  return result;
}
inline Eigen::MatrixXd matrixOf(const nlohmann::json& rows) {
  Eigen::MatrixXd result(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (std::size_t row = 0; row < rows.size(); ++row) result.row(row) = vectorOf(rows[row]);
  return result;
}

}  // namespace touchstone::test
