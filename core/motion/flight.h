#pragma once

#include <string>
#include <vector>

#include "core/motion/motion.h"
#include "core/record/step_record.h"
#include "core/scene/scene.h"
#include "core/trajectory/interpolation.h"

namespace touchstone {

/// Shear that is expected of a measured frame. Noise below it decides nothing: a larger value takes noise of
/// short flights for shear, a smaller one leaves shear in them.
constexpr double kUsualShear = 0.02;

/// Index of the body of a scene that a track follows: the body of its name, or, if the file has no names, the
/// only body that moves.   @throws SceneError
int bodyOf(const MotionTrack& track, const Scene& scene, const std::string& file);

/// The smallest extent of a body's shape along its axes [m]: the width of a cube.
double widthOf(const Body& body);

/// Pose of the centre of mass, and its velocities, of a body whose shape has its origin at a sample's pose.
/// Of a sample without velocities they are 0.
BodyState stateOf(const MotionSample& sample, const Body& body);

/// Distance of the deepest corner of a body from the static bodies [m]: from planes exactly, from convex
/// pieces a lower bound of it; negative in the ground. Infinite without static bodies.
double deepestCorner(const Scene& scene, const Body& body, const Vec3& centre, const Quaternion& orientation);

/// The flight of a body from the first frame of a toss to its first contact, and the start that fits it best
/// in the sense of least squares.
///
/// The centre of mass falls freely. The measured frame may be sheared, so that horizontal coordinates depend
/// on the height by a factor s, which looks like a sideways pull of −s g:
///
///     x(t) = x₀ + v t + ½ g t² − R(t) c + s (y − y_rest)
///
/// with the centre of mass c in the axes of the shape and the height y_rest of the last sample, where shear
/// moves nothing. The body turns without torque.
struct Flight {
  /// Shear as one flight alone shows it, by the heights h less what a start explains of them.
  struct Shear {
    Vec3 slope = Vec3::Zero();  ///< Σ h x / Σ h² along x and z
    double weight = 0;          ///< Σ h² [m²]; 0 where the flight is too short to tell
    double noise = 0;  ///< Σ of squares that the fit leaves along y, where shear moves nothing [m²]
    int freedoms = 0;  ///< frames less the two numbers of that fit
  };
  std::size_t first = 0;         ///< sample at which the toss starts: the first with a pose
  std::size_t firstContact = 0;  ///< sample from which on contacts act
  int frames = 0;                ///< samples of the flight that have a pose
  std::string problem;           ///< why there is no fit; empty: there is one
  BodyState start;               ///< at the time of sample `first`, of the centre of mass, without shear
  Vec3 shear = Vec3::Zero();     ///< s along x and z, of the group of the toss
  Shear own;                     ///< of this flight alone
  double residual = 0;           ///< root of the mean square of distances [m]
  double turnResidual = 0;       ///< root of the mean square of angles [rad]
};

/// The flight ends one frame before the deepest corner reaches a static body: the frame before a touch may
/// have felt it where the shape or the table are not known exactly. Its shear is that of a group of one.
Flight flightOf(const MotionTrack& track, const Scene& scene, const Body& body);

/// Flights [tosses][tracks] of a whole recording. A group of tosses that were recorded together has one
/// shear: the camera stood still, and one short flight tells its shear worse than the shear is large.
/// @throws SceneError for bodies that the scene does not have
std::vector<std::vector<Flight>> flightsOf(const RecordedMotion& motion, const Scene& scene);

/// Shear of each toss from what its flights show alone, x and z. Tosses of one group share
///
///     s = Σ w ŝ / (Σ w + σ²/u²)
///
/// with the weights w, the usual shear u and the noise σ. That is between one and three times the noise along
/// y, and there the median difference of neighbours, since slow errors of a camera weigh more than its noise
/// from frame to frame. Without names the groups are the cut of the tosses, in the order of the file, whose
/// shears are most probable if one toss in ten begins a group.
/// @param names  of the groups [tosses], or empty   @param shown  [tosses][tracks]
std::vector<Vec3> shearsOfGroups(const std::vector<std::string>& names,
                                 const std::vector<std::vector<Flight::Shear>>& shown);

/// The track without the shear of its flight.
MotionTrack unsheared(const MotionTrack& track, const Flight& flight);

/// Orientation and angular velocity (world frame) of a body without torque after a time [s].
/// @param inertia  in the axes of the body [kg·m²]
void turnFreely(const Mat3& inertia, double time, Quaternion& orientation, Vec3& angularVelocity);

}  // namespace touchstone
