#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/motion/flight.h"
#include "core/run/pane_settings.h"
#include "core/scene/replicate.h"

namespace touchstone {

/// A toss as it is compared: its track without shear, the fitted start, and the body of the scene.
struct ComparedToss {
  struct Part {
    int body = 0;
    double width = 1;  ///< the unit of distances [m]: recordedWidthOf() the scene, else widthOf() the body
    MotionTrack track;
    Flight flight;
  };
  std::string name;
  std::vector<Part> parts;
  double start = 0, end = 0;  ///< times of its first and last pose [s]
  double firstContact = 0;    ///< the first of any part [s]
};

/// Tosses that can be compared, and why others cannot.
struct ComparedTosses {
  std::vector<ComparedToss> tosses;
  std::vector<std::string> left;  ///< one line each
};

/// Length in which a scene counts distances to recordings [m], the member `recorded_width` of its file, or 0.
/// Who published a recording may count in a width that differs from that of the shape which fits it.
double recordedWidthOf(const Scene& scene);

/// Fits the start of each toss.   @throws SceneError for bodies that the scene does not have
ComparedTosses comparedTosses(const RecordedMotion& motion, const Scene& scene);

/// Some of the tosses, drawn without replacement, in their order; the same for the same seed everywhere.
std::vector<ComparedToss> drawn(const std::vector<ComparedToss>& tosses, int count, int seed);

/// Distance of a run from a recording. Distances are between the origins of the shapes, in widths; rotations
/// are the shortest between both orientations [°]. Of several bodies the mean. Means are over the recorded
/// frames from the first contact on; frames without a pose do not count.
struct TossError {
  double centreMean = 0, centreEnd = 0;
  double turnMean = 0, turnEnd = 0;
  double failedAt = -1;  ///< s from the start of the toss, where the run diverged or stopped; −1: nowhere
  bool isTurned() const { return turnEnd > 45; }
};

/// Follows one run beside a recording.
class TossComparison {
 public:
  TossComparison(const Scene& scene, const ComparedToss& toss);
  /// States at a time after the start [s], ascending. Recorded times between this and the last are compared
  /// with what lies between both states: positions linearly, orientations along the shortest turn.
  /// @param states  [bodies of the scene]
  void add(double time, const BodyState* states);
  TossError result() const;

 private:
  void compare(const ComparedToss::Part& part, std::size_t index, const BodyState& state);

  const Scene* m_scene;
  const ComparedToss* m_toss;
  double m_time = 0;
  std::vector<BodyState> m_before;  ///< [parts]
  std::vector<std::size_t> m_next;  ///< [parts] the first sample that is not compared yet
  std::vector<double> m_centreEnd, m_turnEnd;
  double m_centreSum = 0, m_turnSum = 0;
  long m_count = 0;
};

/// Runs a scene from the start of each toss, in every variation, many worlds in one run.
/// @param variations  how many, of what variationOf(index) gives parameters and materials; at least 1
/// @param progress  called with the completed share, or null
/// @return [toss · variations + variation]
/// @throws std::invalid_argument if the settings are refused
std::vector<TossError> tossErrors(const Scene& scene, const PaneSettings& settings, double dt,
                                  const std::vector<ComparedToss>& tosses, int variations,
                                  const std::function<ReplicaVariation(int variation)>& variationOf,
                                  const std::function<void(double share)>& progress = {});

}  // namespace touchstone
