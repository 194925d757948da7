#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace touchstone {

/// A sequence of loops that stays the same from step to step while its arrays lie where they lay. What it
/// holds by value (parameters, sizes, addresses) is that of the run in which a device learned it.
template <class Backend>
class LaunchGraph {
 public:
  /// Forgets what was learned if an array has moved or a number has changed.
  void learnFor(std::vector<const void*> arrays, std::vector<double> numbers) {
    if (arrays == m_arrays && numbers == m_numbers) return;
    m_arrays = std::move(arrays);
    m_numbers = std::move(numbers);
    forget();
  }
  /// A value that it holds has changed.
  void forget() { m_repetition.emplace(); }
  template <class Sequence>
  void run(const Backend& backend, const Sequence& sequence) {
    backend.repeat(*m_repetition, sequence);
  }

 private:
  std::optional<typename Backend::Repetition> m_repetition{std::in_place};
  std::vector<const void*> m_arrays;  ///< that the sequence reads or writes
  std::vector<double> m_numbers;      ///< that went into it
};

}  // namespace touchstone
