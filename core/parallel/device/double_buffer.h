#pragma once

#include <cstddef>

namespace touchstone {

/// Copies to the host of which the last whole one stays until the next is whole: a backend that is lost
/// while a copy is on its way takes nothing with it.
template <class Backend, class T>
class DoubleBuffer {
 public:
  /// Begins to copy; see Backend::Download.
  void start(const Backend& backend, const T* items, std::size_t count) {
    m_replicas[1 - m_kept].items.start(backend, items, count);
    m_replicas[1 - m_kept].count = count;
    m_isStarted = true;
  }
  /// Waits for what was started.
  void wait() {
    if (m_isStarted) m_replicas[1 - m_kept].items.wait();
  }
  /// What was started, and has been waited for, takes the place of what was kept.
  void keep() {
    if (m_isStarted) m_kept = 1 - m_kept;
    m_isStarted = false;
  }

  // Of what is kept; asks nothing of the backend.

  const T* items() { return m_replicas[m_kept].items.wait(); }
  std::size_t count() const { return m_replicas[m_kept].count; }

 private:
  struct Copy {
    typename Backend::template Download<T> items;
    std::size_t count = 0;
  };
  Copy m_replicas[2];
  int m_kept = 0;
  bool m_isStarted = false;
};

}  // namespace touchstone
