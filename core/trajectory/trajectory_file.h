#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/trajectory/contacts_file.h"
#include "core/trajectory/file_frame.h"
#include "core/trajectory/start_check.h"
#include "core/trajectory/trajectory.h"

namespace touchstone {

/// Options for reading a trajectory file.
struct TrajectoryOptions {
  enum class Missing { Error, Skip };
  std::string key;                           ///< letters, digits, - _ and .; empty: the engine, else the file
  std::map<std::string, std::string> names;  ///< names of bodies in the file → in the scene
  Missing missing = Missing::Error;          ///< dynamic bodies without rows
  std::string contacts;                      ///< file of their contacts; empty: none
  /// Velocities that contradict the poses are replaced by their differences.
  bool distrustsVelocities = false;
};

/// All bodies of a scene at one time of a file.
struct TrajectorySample {
  double time = 0;                ///< s
  std::vector<BodyState> states;  ///< [bodies]; without a row: not active. Velocities not given: 0
  std::vector<Contact> contacts;  ///< of the interval that ends at this time; impulses on B [N·s]
};

/// Reads a trajectory file (CSV, app/help/trajectories.md) one sample after another, so that its length does
/// not matter. States are in the world frame: SI units, y up, centre of mass.
class TrajectoryReader {
 public:
  /// @throws SceneError with file, line and column; of a scene with bodies that deform
  TrajectoryReader(std::shared_ptr<const Scene> scene, const std::string& path,
                   const TrajectoryOptions& options = {});

  /// Goes to the next time. @return false at the end of the file   @throws SceneError
  bool next(TrajectorySample& sample);

  const std::string& path() const { return m_file.path(); }
  const std::string& key() const { return m_key; }
  const TrajectoryHeader& header() const { return m_header; }
  bool givesLinear() const { return m_v[0].isGiven(); }
  bool givesAngular() const { return m_w[0].isGiven(); }
  const ContactsReader* contacts() const { return m_contacts.get(); }  ///< null: no file of contacts

  // Complete when next() has returned false.
  long rows() const { return m_rows; }
  std::vector<char> given() const;  ///< [bodies] 1: static, or some sample has it
  std::vector<std::string> missing()
      const;  ///< names of dynamic bodies without rows, but those released after the end
  /// True where the velocities that the file gives are not those of its poses.
  bool contradictsLinear() const { return givesLinear() && m_velocities.contradictsLinear(); }
  bool contradictsAngular() const { return givesAngular() && m_velocities.contradictsAngular(); }
  std::vector<std::string> warnings() const;  ///< what may be wrong, one sentence each, with the likely cause

 private:
  enum class Presence : char { NotYet, Here, Left };

  void findColumns();
  void readRow(TrajectorySample& sample);
  int bodyOf(const CsvReader::Cell& cell);
  BodyState stateOfRow(int body) const;
  Vec3 vectorAt(const FileColumn (&columns)[3]) const;
  Quaternion orientationOfRow() const;
  void requireStart(int body, const BodyState& state) const;
  void close(const TrajectorySample& sample);
  double timeOfRow() const;

  std::shared_ptr<const Scene> m_scene;
  CsvReader m_file;
  TrajectoryHeader m_header;
  std::string m_key;
  std::map<std::string, std::string> m_names;
  std::set<std::string> m_unusedNames;  ///< mapped names that no row had so far
  TrajectoryOptions::Missing m_missing;
  std::unordered_map<std::string, int> m_bodies;
  FileColumn m_time, m_body, m_active, m_x[3], m_q[4], m_v[3], m_w[3];
  std::size_t m_columns = 0;
  bool m_hasRow = false;  ///< the file is at the first row of the next sample
  long m_rows = 0, m_samples = 0;
  mutable long m_normalised = 0;
  int m_expected = 0;                ///< body that the next row has if bodies keep their order
  std::vector<Presence> m_presence;  ///< [bodies]
  std::vector<char> m_isHere;        ///< [bodies] of the sample that is read
  std::unique_ptr<ContactsReader> m_contacts;
  std::string m_startWarning;
  VelocityCheck m_velocities;
  TrajectorySample m_before;  ///< for the checks
};

/// The same, all at once, with velocities: derived (derived.h) where the file has none.
/// @param warnings  out, or null   @throws SceneError with file, line and column
Trajectory readTrajectory(std::shared_ptr<const Scene> scene, const std::string& path,
                          const TrajectoryOptions& options = {},
                          std::vector<std::string>* warnings = nullptr);

/// Names of bodies from a file "theirs,ours", one pair a row, without a header; "theirs" "ours" as the first
/// row is one. @throws SceneError with file, line and column, also for a name that the scene does not have
std::map<std::string, std::string> readNames(const Scene& scene, const std::string& path);

/// True if a key can name files and columns: 1 to 100 letters, digits, - _ and .
bool isTrajectoryKey(const std::string& key);

}  // namespace touchstone
