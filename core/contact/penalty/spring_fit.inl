#pragma once

#include "core/contact/penalty/contact_sides.inl"
#include "core/contact/penalty/jointed_bodies.inl"

namespace touchstone::detail {

/// Sum over the springs of contacts at a carrier. @tparam Stiffness  a sum of matrices, or of their bounds
template <class Stiffness>
struct Springs {
  Stiffness stiffness{};
  double lag = 0;  ///< c / k of that which is damped most for its stiffness [s]
  TS_HD Springs& operator+=(const Springs& o) {
    stiffness += o.stiffness;
    if (o.lag > lag) lag = o.lag;
    return *this;
  }
};

TS_HD inline double lagOf(const PenaltyContact& contact) {
  return contact.stiffness > 0 ? contact.damping / contact.stiffness : 0;
}

/// Row sum of M⁻¹ Jᵀ k J of a contact at a particle, which bounds what the contact adds to the square of its
/// frequency [1/s²]: with weights of sum 1 on either side k |w| m⁻¹, twice if the other body moves too.
struct SpringsOfParticle : ParticleTerm {
  using Sum = Springs<double>;
  TS_HD Sum operator()(int, int place) const {
    const ParticleSide& side = sides[items[place].item];
    const PenaltyContact& contact = contacts[side.contact];
    if (!(contact.spring.squaredNorm() > 0)) return Sum();
    const double both = yields(world, contact.bodyA) && yields(world, contact.bodyB) ? 2 : 1;
    return {both * contact.stiffness * std::fabs(side.weight) * world.inverseMass[side.carrier],
            lagOf(contact)};
  }
};

/// Upper triangle of a symmetric 6 × 6 matrix by rows: displacement, then turn about the centre of mass.
struct Symmetric6 {
  double entries[21] = {};
  TS_HD Symmetric6& operator+=(const Symmetric6& o) {
    for (int k = 0; k < 21; ++k) entries[k] += o.entries[k];
    return *this;
  }
  /// Adds v vᵀ, v = (linear, angular).
  TS_HD void addProduct(double factor, const Vec3& linear, const Vec3& angular) {
    int next = 0;
    for (int row = 0; row < 6; ++row) {
      const double rowFactor = factor * (row < 3 ? linear[row] : angular[row - 3]);
      for (int column = row; column < 6; ++column)
        entries[next++] += rowFactor * (column < 3 ? linear[column] : angular[column - 3]);
    }
  }
};

/// Share of a friction spring that counts beside that of the gap: it acts with the place at the start of the
/// step, which is stable up to three times the stiffness of a force at its end. Larger: boxes on a plane are
/// softened for nothing; smaller: tall bodies shake on their friction.
constexpr double kShareOfFriction = 1.0 / 3;

/// Kᵢ = Σ f k (n nᵀ + κ (1 − n nᵀ)) about the centre of mass of a body, κ with friction. A contact of two
/// bodies that move counts f = 1 + √(w_B / w_A) times on A and 1 + √(w_A / w_B) times on B, with the inverse
/// effective masses w: the stiffness matrix of all bodies is at most that of these blocks.
struct SpringsOfBody : SideTerm {
  using Sum = Springs<Symmetric6>;
  JointedBodies joints;
  TS_HD Sum operator()(int body, int place) const {
    Sum sum;
    const PenaltyContact& contact = sides[place];
    const double magnitude = contact.spring.norm();
    if (!(magnitude > 0)) return sum;
    const bool isA = sides.isA(place);
    const Vec3 normal = contact.spring / magnitude, point = commonPoint(world, contact),
               arm = point - world.position[body];
    const double inverseMass = joints.inverseMassAt(world, contact, isA, point, normal),
                 other = joints.inverseMassAt(world, contact, !isA, point, normal);
    const double stiffness = contact.stiffness * (1 + std::sqrt(other / inverseMass));
    const bool rubs = frictionOf(world.bodies[contact.bodyA], world.bodies[contact.bodyB]).staticFriction > 0;
    const double along = rubs ? kShareOfFriction * contact.hold : 0;
    sum.stiffness.addProduct((1 - along) * stiffness, normal, arm.cross(normal));
    for (int axis = 0; rubs && axis < 3; ++axis) {
      Vec3 unit(0, 0, 0);
      unit[axis] = 1;
      sum.stiffness.addProduct(along * stiffness, unit, arm.cross(unit));
    }
    sum.lag = lagOf(contact);
    return sum;
  }
};

/// Bound of the largest eigenvalue of W K, within 12 % [1/s²]: (Σ λ¹⁶)^(1/16) of all six, by squaring.
/// @param rateOf  entry of W K, (entry, row, column), from entries of K
template <class RateOf>
TS_HD inline double largestRate(const Symmetric6& stiffness, const RateOf& rateOf) {
  double rates[6][6], squares[6][6];
  const auto entry = [&](int row, int column) {
    const int low = row < column ? row : column, high = row < column ? column : row;
    return stiffness.entries[6 * low - low * (low - 1) / 2 + high - low];
  };
  double trace = 0;
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 6; ++column) {
      const double rate = rateOf(entry, row, column);
      rates[row][column] = rate;
      if (row == column) trace += rate;
    }
  if (!(trace > 0)) return 0;
  for (auto& row : rates)
    for (double& rate : row) rate /= trace;
  double sum = 0;
  for (int power = 0; power < 4; ++power) {
    sum = 0;
    for (int row = 0; row < 6; ++row)
      for (int column = 0; column < 6; ++column) {
        double product = 0;
        for (int k = 0; k < 6; ++k) product += rates[row][k] * rates[k][column];
        squares[row][column] = product;
        if (row == column) sum += product;
      }
    for (int row = 0; row < 6; ++row)
      for (int column = 0; column < 6; ++column) rates[row][column] = squares[row][column];
  }
  return trace * std::sqrt(std::sqrt(std::sqrt(std::sqrt(sum))));
}
/// The same for a body by itself, W = M⁻¹.
TS_HD inline double largestRate(const Symmetric6& stiffness, double inverseMass, const Mat3& inverseInertia) {
  return largestRate(stiffness, [&](const auto& entry, int row, int column) {
    if (row < 3) return inverseMass * entry(row, column);
    double rate = 0;
    for (int k = 0; k < 3; ++k) rate += inverseInertia(row - 3, k) * entry(3 + k, column);
    return rate;
  });
}
/// The same for a body with what joints pass on.
TS_HD inline double largestRate(const Symmetric6& stiffness, const Mobility& mobility) {
  return largestRate(stiffness, [&](const auto& entry, int row, int column) {
    double rate = 0;
    for (int k = 0; k < 3; ++k) {
      const bool isTurn = row >= 3;
      const double byForce = isTurn ? mobility.coupling(k, row - 3) : mobility.linear(row, k),
                   byMoment = isTurn ? mobility.angular(row - 3, k) : mobility.coupling(row, k);
      rate += byForce * entry(k, column) + byMoment * entry(3 + k, column);
    }
    return rate;
  });
}

/// Writes the fit of a carrier from the largest rate of its springs.
struct WriteFit {
  WorldView world;
  const PenaltyNumbers* numbers;  // [replicaCount]
  double maximum;                 // of h² λ for automatic springs
  Fit* fits;                      // [carrierCount] out
  double* stability;              // [carrierCount] out: h² λ
  // Of h c λ / k. Larger: with σ = 1 a damper of the velocity before the step pushes back by itself.
  static constexpr double kMostDamping = 0.7;
  // Factor of automatic springs. Larger: cans of many corners are not fitted; smaller: a body whose inertia
  // is out of all proportion to its mass sinks in silence, where it now diverges.
  static constexpr double kLeastSpring = 1e-5;

  TS_HD void write(int carrier, int body, double rate, double lag) const {
    const PenaltyNumbers& penaltyNumbers = numbers[world.bodies[body].replica];
    const double number = world.dt * world.dt * rate;
    Fit fit;
    const bool isAutomatic = !(penaltyNumbers.stiffness > 0);
    if (isAutomatic && number > maximum) fit.spring = std::fmax(maximum / number, kLeastSpring);
    if (penaltyNumbers.damping < 0) {
      const double damping = rate * lag * world.dt;
      fit.damper = isAutomatic ? fit.spring : damping > kMostDamping ? kMostDamping / damping : 1;
    }
    fits[carrier] = fit;
    stability[carrier] = fit.spring * number;
  }
};
/// h² λ of a body that joints hold.
struct JointedRates {
  double alone = 0, joined = 0;  ///< with its own mass, with what joints pass on
};
struct WriteFitOfBody : WriteFit {
  JointedBodies joints;
  JointedRates* jointed;  // [bodyCount] out, of bodies that joints hold
  TS_HD void operator()(int body, const Springs<Symmetric6>& sum) const {
    write(body, body,
          isDynamic(world, body)
              ? largestRate(sum.stiffness, world.inverseMass[body], world.inverseInertia[body])
              : 0,
          sum.lag);
    if (const Mobility* joined = joints.of(world, body))
      jointed[body] = {world.dt * world.dt *
                           largestRate(sum.stiffness, world.inverseMass[body], world.inverseInertia[body]),
                       world.dt * world.dt * largestRate(sum.stiffness, *joined)};
  }
};
/// Fits the springs of an island of joints together. With K of all its bodies λ(W K) is at most Σ λ(W_b K_b)
/// over the blocks of W, and at most the largest λ(M_b⁻¹ K_b), for W ≤ M⁻¹. Where the sum is the smaller it
/// counts for all bodies: legs stand as stiff as their trunk allows.
struct FitIsland {  // one island per index
  WriteFit write;
  JointedBodies joints;
  const JointedRates* jointed;
  TS_HD void operator()(int island) const {
    double sum = 0, largest = 0;
    for (int place = joints.first[island]; place < joints.first[island + 1]; ++place) {
      const int body = joints.bodies[place];
      if (!joints.of(write.world, body)) return;
      sum += jointed[body].joined;
      largest = std::fmax(largest, jointed[body].alone);
    }
    if (!(sum < largest)) return;
    for (int place = joints.first[island]; place < joints.first[island + 1]; ++place) {
      const int body = joints.bodies[place];
      Fit fit;
      if (sum > write.maximum) fit.spring = std::fmax(write.maximum / sum, WriteFit::kLeastSpring);
      if (write.numbers[write.world.bodies[body].replica].damping < 0) fit.damper = fit.spring;
      write.fits[body] = fit;
      write.stability[body] = fit.spring * sum;
    }
  }
};
/// Gives each body of an island of joints the contacts of all.
struct ShareIsland {  // one island per index
  WorldView world;
  JointedBodies joints;
  int* shares;  // [bodyCount]
  TS_HD void operator()(int island) const {
    int sum = 0;
    for (int place = joints.first[island]; place < joints.first[island + 1]; ++place) {
      if (!joints.of(world, joints.bodies[place])) return;
      sum += shares[joints.bodies[place]];
    }
    for (int place = joints.first[island]; place < joints.first[island + 1]; ++place)
      shares[joints.bodies[place]] = sum;
  }
};
struct WriteFitOfParticle : WriteFit {
  TS_HD void operator()(int particle, const Springs<double>& sum) const {
    const int carrier = world.bodyCount + particle;
    write(carrier, world.carrierBody[carrier], sum.stiffness, sum.lag);
  }
};

struct FitContact {  // one contact per index
  WorldView world;
  const PenaltyNumbers* numbers;
  const Fit* fits;
  PenaltyContact* contacts;
  TS_HD void operator()(int index) const {
    PenaltyContact& contact = contacts[index];
    Fit fit;
    for (const bool isA : {true, false}) {
      const int body = isA ? contact.bodyA : contact.bodyB;
      if (!world.isDeformable(body)) {
        take(body, fit);
        continue;
      }
      const ParticleWeights particles = particlesOf(world, contact.pair, isA, contact.weights);
      for (int k = 0; k < particles.count; ++k) take(particles.carriers[k], fit);
    }
    changeSpring(fit, contact);
  }
  TS_HD void take(int carrier, Fit& fit) const {
    fit.spring = std::fmin(fit.spring, fits[carrier].spring);
    fit.damper = std::fmin(fit.damper, fits[carrier].damper);
  }
};

}  // namespace touchstone::detail
