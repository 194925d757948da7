#pragma once

#include <cstdio>
#include <cstring>
#include <memory>

#include "core/contact/feature_broad_phase.inl"
#include "core/contact/penalty_impulses.inl"
#include "core/contact/penalty_parameters.h"
#include "core/contact/penalty_tables.inl"
#include "core/contact/step_detail.h"
#include "core/record/phase_clock.h"

namespace touchstone {

/// A penalty method on a backend: everything between broad phase and integration. Written against WorldView,
/// so that it neither knows nor asks where the arrays live.
template <class Backend>
class PenaltyResponse {
 public:
  virtual ~PenaltyResponse() = default;

  /// How far apart boxes still make a candidate, for each copy [copyCount], on the backend [m].
  virtual const double* margins(const Backend& backend, const WorldView& world) = 0;
  /// Candidates are wanted against open surfaces too.
  virtual bool openSurfaces() const { return false; }
  /// Adds contact impulses to the step's velocities and fills the record, as ContactMethod::respond(), but
  /// for what finishRecord() adds.
  /// @param time  simulated, at the start of the step [s]   @param detail  where the inside goes, or null
  virtual void respond(const Backend& backend, const WorldView& world, const CandidateView& candidates,
                       double time, StepRecord& record, PhaseClock& clock, StepDetail* detail) = 0;
  /// What respond() found out about its contacts, when it has come back from the backend.
  virtual void finishRecord(StepRecord& record) {
    if (!m_statesOnly) m_impulses.writeTo(record);
  }
  /// After integration: contact memory on the corrected path.
  virtual void settle(const Backend&, const WorldView&, const CandidateView&) {}
  /// Records get no contacts and no sums of impulses from now on, so that nothing but states leaves the
  /// backend.
  void setStatesOnly(bool on) { m_statesOnly = on; }
  /// @param values  [copyCount]; choices are those of copy 0, numbers each copy's own
  virtual void setParameters(const std::vector<ParameterValues>& values) = 0;
  virtual void reset() = 0;
  virtual std::string memory(const Backend& backend) const = 0;
  virtual void restoreMemory(const Backend& backend, const std::string& bytes) = 0;

 protected:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void setNumbers(const std::vector<ParameterSpec>& specs, const std::vector<ParameterValues>& values) {
    m_settings.clear();
    for (const ParameterValues& each : values) m_settings.push_back(penaltySettings(specs, each));
  }
  /// The numbers of this step, on the backend; sent only when they have changed.
  const PenaltyNumbers* numbersAt(const Backend& backend, double time) {
    std::vector<PenaltyNumbers> now;
    for (PenaltySettings& settings : m_settings) {
      settings.numbers.stiffness = settings.stiffness.at(time);
      now.push_back(settings.numbers);
    }
    const bool same = now.size() == m_sent.size() &&
                      std::memcmp(now.data(), m_sent.data(), now.size() * sizeof(PenaltyNumbers)) == 0;
    if (!same) {
      backend.upload(now.data(), now.size(), m_numbers);
      m_sent = now;
    }
    return m_numbers.data();
  }
  /// After friction: applies the contacts and begins to record them, with a warning when σ̂ exceeds the
  /// method's limit.
  void applyContacts(const Backend& backend, const WorldView& world, const PenaltyNumbers* numbers,
                     double limit, StepRecord& record) {
    const PenaltyContact* contacts = m_contacts.data();
    if (m_statesOnly) {
      m_impulses.apply(backend, world, contacts);
      return;
    }
    m_impulses.applyAndRecord(backend, world, numbers, contacts, static_cast<int>(m_contacts.size()));
    const double number = m_impulses.stabilityNumber(backend, world, numbers, contacts);
    if (number <= limit) return;
    char text[160];
    std::snprintf(text, sizeof text,
                  "stability number up to %.2g, safe below %.2g: use a smaller step or a lower stiffness",
                  number, limit);
    record.warnings.push_back(text);
  }

  std::vector<PenaltySettings> m_settings;  ///< [copyCount]
  PenaltyImpulses<Backend> m_impulses;
  Array<PenaltyContact> m_contacts;

  bool m_statesOnly = false;

 private:
  std::vector<PenaltyNumbers> m_sent;
  Array<PenaltyNumbers> m_numbers;
};

}  // namespace touchstone
