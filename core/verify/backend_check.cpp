#include "core/verify/backend_check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <tuple>

#include "core/contact/step_detail.h"
#include "core/detect/candidates.h"
#include "core/files/listed.h"
#include "core/run/pane_name.h"

namespace touchstone {

namespace {

// A checked frame costs two inspected steps. A larger value compares fewer frames; a smaller one compares
// frames that hardly differ.
constexpr int kFramesBetween = 5;
// Number of compared frames that should have contacts, if the scene reaches contacts within that many frames.
// Larger values take longer; with smaller ones a check may compare no contacts.
constexpr int kFewestWithContacts = 3, kMostFramesUntilContact = 300;

template <class T, class Less>
long inOneOnly(const std::vector<T>& a, const std::vector<T>& b, Less less) {
  std::vector<T> only;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only), less);
  return static_cast<long>(only.size());
}

// A contact of PEG may be in several sets.
bool isBefore(const Contact& a, const Contact& b) {
  return std::tie(a.kind, a.bodyA, a.bodyB, a.featureA, a.featureB, a.pieceA, a.pieceB, a.vertexOnA, a.set) <
         std::tie(b.kind, b.bodyA, b.bodyB, b.featureA, b.featureB, b.pieceA, b.pieceB, b.vertexOnA, b.set);
}

std::vector<Contact> sorted(std::vector<Contact> contacts) {
  std::sort(contacts.begin(), contacts.end(), isBefore);
  return contacts;
}

std::vector<PiecePair> sorted(std::vector<PiecePair> pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// NaN counts as an infinite difference.
void keepLarger(double value, double& largest) {
  if (!(value <= largest)) largest = std::isnan(value) ? INFINITY : value;
}

void compareContacts(const StepRecord& a, const StepRecord& b, BackendCheck& check) {
  const std::vector<Contact> first = sorted(a.contacts), second = sorted(b.contacts);
  check.contacts += static_cast<long>(first.size());
  const long different = inOneOnly(first, second, isBefore);
  check.otherContacts += different;
  if (different > 0) return;
  double largest = 0, difference = 0;
  for (std::size_t k = 0; k < first.size(); ++k) {
    const Vec3 onA = first[k].normalImpulse * first[k].normal + first[k].frictionImpulse;
    const Vec3 onB = second[k].normalImpulse * second[k].normal + second[k].frictionImpulse;
    largest = std::max(largest, onA.norm());
    keepLarger((onA - onB).norm(), difference);
  }
  if (largest > 0) keepLarger(difference / largest, check.impulse);
}

void compareStates(const StepRecord& a, const StepRecord& b, double radius, BackendCheck& check) {
  for (std::size_t body = 0; body < a.bodies.size(); ++body) {
    const BodyState &first = a.bodies[body], &second = b.bodies[body];
    keepLarger((first.position - second.position).norm(), check.position);
    keepLarger(radius * (first.orientation.coeffs() - second.orientation.coeffs()).norm(), check.position);
    keepLarger(a.dt * (first.linearVelocity - second.linearVelocity).norm(), check.position);
    keepLarger(a.dt * radius * (first.angularVelocity - second.angularVelocity).norm(), check.position);
  }
}

void compareQuantities(const StepRecord& a, const StepRecord& b, BackendCheck& check) {
  for (int index = 0; index < kQuantityCount; ++index) {
    const Quantity quantity = static_cast<Quantity>(index);
    const double first = a.quantities[quantity], second = b.quantities[quantity];
    if (isTime(quantity) || (std::isnan(first) && std::isnan(second))) continue;
    double& largest = check.quantities[quantity];
    if (std::isnan(largest)) largest = 0;
    if (first != second)
      keepLarger(std::abs(first - second) / (std::abs(first) + 1e-3), largest);  // equal values, including
                                                                                 // infinite ones, give 0
  }
}

void compare(const StepRecord& a, const StepDetail& detailA, const StepRecord& b, const StepDetail& detailB,
             double radius, BackendCheck& check) {
  const auto less = [](const FeaturePair& x, const FeaturePair& y) { return x < y; };
  ++check.frames;
  if (!a.contacts.empty()) ++check.framesWithContacts;
  check.candidates +=
      static_cast<long>(detailA.features.size() + detailA.vertexSurface.size() + detailA.pieces.size());
  check.otherCandidates += inOneOnly(detailA.features, detailB.features, less) +
                           inOneOnly(detailA.vertexSurface, detailB.vertexSurface, less) +
                           inOneOnly(sorted(detailA.pieces), sorted(detailB.pieces), std::less<PiecePair>());
  compareContacts(a, b, check);
  compareStates(a, b, radius, check);
  compareQuantities(a, b, check);
}

/// Advances the CPU through the scene and compares frames, until one side is frozen or the device falls back
/// to the CPU.
/// @return number of frames
int compareFrames(Simulation& cpu, Simulation& device, double radius, int frames, BackendCheck& check) {
  int lastWithContacts = 0, frame = 0;
  const auto wantsContacts = [&] {
    return check.framesWithContacts < kFewestWithContacts || frame >= lastWithContacts + kFramesBetween;
  };
  const auto isDone = [&] {
    return frame >= frames &&
           (check.framesWithContacts >= kFewestWithContacts || frame >= kMostFramesUntilContact);
  };
  for (; !isDone(); ++frame) {
    const bool isDue = frame % kFramesBetween == 0;
    if (!isDue && !wantsContacts()) {
      cpu.step();
      continue;
    }
    const Checkpoint before = cpu.checkpoint();
    StepDetail detailA, detailB;
    const RecordPtr a = cpu.step(detailA);
    if (!isDue && a->contacts.empty() && !isFrozen(a->status)) continue;
    device.goOn(before);
    const RecordPtr b = device.step(detailB);
    if (!device.backendNote().empty()) break;
    if (a->status != b->status) ++check.otherStatuses;
    if (isFrozen(a->status) || isFrozen(b->status)) break;
    compare(*a, detailA, *b, detailB, radius, check);
    if (!a->contacts.empty()) lastWithContacts = frame;
  }
  return frame;
}

/// Makes two runs on the backend and one on the CPU. The second run on the backend is inspected, so that its
/// loops are launched one by one and not as a graph. @return why a run fell back to the CPU, else empty
std::string compareRuns(const std::shared_ptr<const Scene>& scene, PaneSettings settings, int frames,
                        BackendCheck& check) {
  Simulation first(scene, settings, scene->dt), second(scene, settings, scene->dt);
  settings.backend = BackendKind::Cpu;
  Simulation cpu(scene, settings, scene->dt);
  double onDevice = 0, onCpu = 0;
  check.repeats = true;
  for (int frame = 0; frame < frames; ++frame) {
    const RecordPtr record = first.step();
    StepDetail inside;
    if (record->stateHash != second.step(inside)->stateHash) check.repeats = false;
    onDevice += record->normalImpulseSum;
    onCpu += cpu.step()->normalImpulseSum;
  }
  check.repeats = check.repeats && first.contactMemory() == second.contactMemory();
  check.meanForce = onCpu > 0 ? std::abs(onDevice / onCpu - 1) : onDevice > 0 ? INFINITY : 0;
  return first.backendNote().empty() ? second.backendNote() : first.backendNote();
}

/// Describes what exceeds its tolerance; empty if nothing does.
std::string failureOf(const BackendCheck& check, double size) {
  std::vector<std::string> failures;
  if (check.frames == 0) failures.push_back("no frame could be compared");
  if (check.otherCandidates > 0) failures.push_back("candidates differ");
  if (check.otherContacts > 0) failures.push_back("contacts differ");
  if (check.otherStatuses > 0)
    failures.push_back("one side converged, stopped or diverged and the other did not");
  if (!(check.impulse <= kImpulseTolerance)) failures.push_back("impulses differ");
  if (!(check.position <= kPositionTolerance * size)) failures.push_back("states differ");
  for (const QuantityInfo& info : quantityTable())
    if (check.quantities[info.quantity] > kQuantityTolerance) failures.push_back(info.key + " differs");
  if (!check.repeats) failures.push_back("two runs differ");
  return listed(failures);
}

}  // namespace

BackendCheck checkBackend(const std::shared_ptr<const Scene>& scene, PaneSettings settings,
                          BackendKind backend, int frames) {
  BackendCheck check;
  check.scene = scene->name;
  check.method = paneName(settings);
  settings.backend = BackendKind::Cpu;
  Simulation cpu(scene, settings, scene->dt);
  settings.backend = backend;
  Simulation device(scene, settings, scene->dt);
  if (check.reason = device.backendNote(); !check.reason.empty()) return check;
  const int taken = compareFrames(cpu, device, scene->size, frames, check);
  if (check.reason = device.backendNote(); !check.reason.empty()) return check;
  // Up to the first contacts, and some frames further.
  check.reason = compareRuns(scene, settings, taken > frames ? taken : frames / 2, check);
  if (!check.reason.empty()) return check;
  check.ran = true;
  check.reason = failureOf(check, scene->size);
  check.passed = check.reason.empty();
  return check;
}

}  // namespace touchstone
