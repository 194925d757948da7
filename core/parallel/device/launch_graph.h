#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace touchstone {

/// A sequence of loops that a device records once and repeats each step, as long as its arrays keep their
/// addresses. The values in the recording (parameters, sizes, addresses) are those of the run that recorded
/// it.
template <class Backend>
class LaunchGraph {
 public:
  /// Drops the recording if an array has moved or a number has changed.
  void learnFor(std::vector<const void*> arrays, std::vector<double> numbers) {
    if (arrays == m_arrays && numbers == m_numbers) return;
    m_arrays = std::move(arrays);
    m_numbers = std::move(numbers);
    forget();
  }
  /// Drops the recording, because a value that it holds has changed.
  void forget() { m_repetition.emplace(); }
  template <class Sequence>
  void run(const Backend& backend, const Sequence& sequence) {
    backend.repeat(*m_repetition, sequence);
  }

 private:
  std::optional<typename Backend::Repetition> m_repetition{std::in_place};
  std::vector<const void*> m_arrays;  ///< arrays that the sequence reads or writes
  std::vector<double> m_numbers;      ///< numbers that the recording holds
};

}  // namespace touchstone
