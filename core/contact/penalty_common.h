#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/contact/contact_method.h"
#include "core/contact/penalty_friction.h"
#include "core/geometry/mesh_tree.h"
#include "core/record/bytes.h"

namespace touchstone {

/// Trees over all surfaces of a scene, by surface id of SurfaceTopology. Immutable, shared by panes.
std::vector<std::shared_ptr<const MeshTree>> buildMeshTrees(const World& world);

/// A point of the world in the body's frame at the start of the step, and back.
Vec3 toLocal(const World& world, int body, const Vec3& point);
Vec3 toWorld(const World& world, int body, const Vec3& local);

/// Edges of two closed bodies that overlap: the closest points of their lines lie inside both edges, and each
/// inside the other body. Only then is it an overlap of edges rather than of faces.
/// @param rows  the edges' end points: a, b of A, then c, d of B   @param weights  out: of the closest points
bool edgesCross(const World& world, const std::vector<std::shared_ptr<const MeshTree>>& trees,
                const FeaturePair& pair, const Vec3 rows[4], const std::vector<Vec3>& position,
                const std::vector<Quaternion>& orientation, double weights[4]);

/// Parameters that dpf and cpf share: stiffness, damping, friction.
std::vector<ParameterSpec> sharedPenaltyParameters();
/// Stiffness of a pair over time.
struct StiffnessSettings {
  double mean = 0;          ///< k [N/m]
  double perturbation = 0;  ///< e
  double frequency = 0;     ///< ω [rad/s]
  /// k (1 + e sin ω τ) at the simulated time τ [s].
  double at(double time) const {
    return perturbation == 0 ? mean : mean * (1 + perturbation * std::sin(frequency * time));
  }
};
StiffnessSettings stiffnessSettings(const std::vector<ParameterSpec>& specs, const ParameterValues& values);
FrictionSettings frictionSettings(const std::vector<ParameterSpec>& specs, const ParameterValues& values);

/// Static and dynamic friction coefficient of two bodies: geometric means of their materials'.
struct FrictionPair {
  double staticFriction, dynamicFriction;
};
FrictionPair frictionOf(const Scene& scene, int bodyA, int bodyB);

/// A penalty contact ready to act: impulse I on A (vertex's body, or first edge's) at the common point c, −I
/// on B.
struct PenaltyContact {
  FeaturePair pair;
  int bodyA = -1, bodyB = -1;    ///< of the pair, not ascending
  Vec3 pointA, pointB;           ///< material points at the start of the step, world [m]
  Vec3 impulse = Vec3::Zero();   ///< on A [N·s], without friction
  Vec3 friction = Vec3::Zero();  ///< on A [N·s]
  ContactMode mode = ContactMode::Open;
  double gap = 0;           ///< of the method [m]
  double predictedGap = 0;  ///< at the predicted pose, without contact [m]
  bool fresh = true;        ///< began in this step: its friction anchors coincide
  double intervalStart = 0, intervalEnd = 1;
  bool ownPoints = false;  ///< the impulse acts at pointA on A and pointB on B instead of one common point
  double share = 1;        ///< of the stiffness (normalise = pairs)
};

/// λ_A p̂ + λ_B q̂ with λ_A = m_A⁻¹ / (m_A⁻¹ + m_B⁻¹): one point for both sides, so that the pair exerts no
/// couple.
Vec3 commonPoint(const World& world, const PenaltyContact& contact);

/// normalise = pairs: divides the stiffness of each contact by the number of contacts between its two bodies,
/// so that a finer mesh is not a stiffer one.
void normalisePairs(std::vector<PenaltyContact>& contacts);

/// m_A⁻¹ + (r_A × n)·I_A⁻¹(r_A × n) + the same for B [1/kg].
double effectiveInverseMass(const World& world, const PenaltyContact& contact, const Vec3& direction);

/// Computes friction of all contacts from v* and updates their anchors, anchors[k] of contacts[k]. All see
/// the same velocities, so n contacts that each could stop a body would together throw it back: in the
/// effective mass of a contact each body counts with one n-th of its mass (mass splitting, Tonge et al.
/// 2012).
void addFriction(const World& world, const FrictionSettings& settings, std::vector<FrictionAnchor>& anchors,
                 std::vector<PenaltyContact>& contacts);

/// Applies all impulses in the order given, and records those that push, the largest depth, and the elastic
/// energy Σ ½ k δ² with δ at the end of the step, to first order: predicted gap plus dt times the change of
/// the normal velocity by all contacts.
void applyAndRecord(World& world, double stiffness, const std::vector<PenaltyContact>& contacts,
                    StepRecord& record);

/// Contact memory as bytes.
class MemoryWriter : public ByteWriter {
 public:
  using ByteWriter::put;
  void put(const FrictionAnchor& anchor) {
    put(anchor.onA);
    put(anchor.onB);
  }
  void put(const FeaturePair& pair) {
    put(pair.kind);
    put(pair.a);
    put(pair.b);
  }
};

class MemoryReader : public ByteReader {
 public:
  using ByteReader::ByteReader;
  using ByteReader::get;
  void get(FrictionAnchor& anchor) {
    get(anchor.onA);
    get(anchor.onB);
  }
  void get(FeaturePair& pair) {
    get(pair.kind);
    get(pair.a);
    get(pair.b);
  }
};

/// σ̂ = h² k Σ over the pairs of a body of the effective inverse mass, the largest over bodies: an upper bound
/// of the stability number (Tang 2012, supplement C; with several pairs σ = h² λ_max(M⁻¹K)).
double stabilityNumber(const World& world, const std::vector<PenaltyContact>& contacts, double stiffness);

/// Warns in the record when σ̂ exceeds the method's limit.
void warnIfUnstable(const World& world, const std::vector<PenaltyContact>& contacts, double stiffness,
                    double limit, StepRecord& record);

}  // namespace touchstone
