#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/files/csv_reader.h"
#include "core/math/quaternion.h"

namespace touchstone {

/// Content of the lines before the table of a trajectory or of contacts.
struct TrajectoryHeader {
  std::string scene, sceneHash;         ///< name and SHA-256 of the scene file; empty: not given
  std::string engine;                   ///< "bullet 3.24 (si10)"; empty: not given
  std::string integrator;               ///< "semi-implicit-euler"; empty: not given
  std::vector<std::string> model;       ///< {"plastic", "pyramid4"}, see ColumnModel; empty: not given
  std::string length;                   ///< unit of lengths; empty: not given, metres
  bool isZUp = false;                   ///< (x, y, z) of the file is (x, z, −y) of the world
  bool isOfOrigin = false;              ///< poses are of the origin of the shape, else of the centre of mass
  bool isOmegaOfBody = false;           ///< angular velocities are along the axes of the body
  double step = 0;                      ///< of the engine [s]; 0: not given
  std::string precision;                ///< of the engine: "double", "single"; empty: not given
  int iterations = -1;                  ///< of the engine's solver in a step; −1: not given
  double processorTime = std::nan("");  ///< of the engine for the whole motion [s]; not a number: not given
  bool isForce = false;                 ///< contacts: forces [N], else impulses [N·s]
  bool isComplete = true;               ///< contacts: all that acted
  std::vector<std::string> unknown;     ///< "line 3: 'lenght'"
};

/// Reads the comments before a table. Leaves the reader at the row of column names.
/// @param form  "touchstone_trajectory" or "touchstone_contacts", of which the first line gives version 1
/// @throws SceneError with file, line and column
TrajectoryHeader readTrajectoryHeader(CsvReader& file, const std::string& form);

/// The length of a unit word [m]: m, cm, mm, in; 0 for others.
double lengthOfUnit(const std::string& word);

/// A column of the table: where it is in a row, and what its numbers are multiplied by.
struct FileColumn {
  int place = -1;  ///< −1: the file does not have it
  double scale = 1;
  bool isGiven() const { return place >= 0; }
};

/// Kind of value in a column, for its unit.
enum class ColumnUnit { Text, Plain, Time, Length, Speed, Spin, Impulse };
struct NamedColumn {
  const char* name;
  ColumnUnit unit;
  FileColumn* column;
};
/// Finds columns by name in the row at which the reader is; a unit may be appended to a name ("x_mm",
/// "vx_m_per_s", "wz_rad_per_s").
/// @param header  its unit of lengths is that of columns without one; another one on a column is an error
/// @throws SceneError for a column that is unknown or there twice
void findColumns(const CsvReader& file, const TrajectoryHeader& header,
                 const std::vector<NamedColumn>& columns);

/// A vector along the axes of the file, in the world, whose y axis points up.
inline Vec3 inWorld(const TrajectoryHeader& header, const Vec3& v) {
  return header.isZUp ? Vec3(v.x(), v.z(), -v.y()) : v;
}

}  // namespace touchstone
