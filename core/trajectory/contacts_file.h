#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/trajectory/file_frame.h"
#include "core/trajectory/trajectory.h"

namespace touchstone {

/// Reads the contacts of a trajectory (CSV, app/help/trajectories.md) beside its samples. Points and normals
/// are turned into the world frame; impulses stay in N·s, whatever the unit of lengths.
class ContactsReader {
 public:
  /// @param names  names of bodies in the file → in the scene   @throws SceneError with file, line and column
  ContactsReader(std::shared_ptr<const Scene> scene, const std::string& path,
                 const std::map<std::string, std::string>& names = {});

  /// Contacts with from < time ≤ to; impulses on B [N·s], a force times its interval, which begins at the
  /// contacts before. Ascending `end`. @param start  s; of the first sample `end` itself: its forces act over
  /// 0
  /// s
  void take(double start, double end, std::vector<Contact>& contacts);

  const std::string& path() const { return m_file.path(); }
  const TrajectoryHeader& header() const { return m_header; }
  /// Empty, or a note of rows behind the last sample. Complete when all samples were read.
  std::string warning() const;

 private:
  void advance();
  Contact contactOfRow() const;
  int bodyOf(const CsvReader::Cell& cell) const;
  Vec3 vectorAt(const FileColumn (&columns)[3]) const;

  std::shared_ptr<const Scene> m_scene;
  CsvReader m_file;
  TrajectoryHeader m_header;
  std::map<std::string, std::string> m_names;
  std::unordered_map<std::string, int> m_bodies;
  FileColumn m_time, m_bodyA, m_bodyB, m_p[3], m_n[3], m_jn, m_j[3], m_gap;
  std::size_t m_columns = 0;
  bool m_hasRow = false;
  double m_rowTime = 0, m_timeBefore = 0;
  long m_rows = 0;
};

/// The message about a body that the scene does not have, with the three nearest names.
SceneError unknownBody(const CsvReader& file, const CsvReader::Cell& cell, const Scene& scene);

}  // namespace touchstone
