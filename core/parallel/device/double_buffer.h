#pragma once

#include <cstddef>

namespace touchstone {

/// Two downloads to the host in turn. The last complete one is kept until the next is complete, so that a
/// backend that fails during a download loses no earlier data.
template <class Backend, class T>
class DoubleBuffer {
 public:
  /// Begins a download; see Backend::Download.
  void start(const Backend& backend, const T* items, std::size_t count) {
    m_replicas[1 - m_kept].items.start(backend, items, count);
    m_replicas[1 - m_kept].count = count;
    m_isStarted = true;
  }
  /// Waits for the started download.
  void wait() {
    if (m_isStarted) m_replicas[1 - m_kept].items.wait();
  }
  /// Replaces the kept download by the started one, which must have been waited for.
  void keep() {
    if (m_isStarted) m_kept = 1 - m_kept;
    m_isStarted = false;
  }

  // The kept download. These make no call to the backend.

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
