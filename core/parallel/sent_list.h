#pragma once

#include "core/parallel/list.h"

namespace touchstone {

/// A copy of a list on its way to the host. The list may change meanwhile; once it has arrived, it is there
/// whatever becomes of the backend.
template <class Backend, class T>
class SentList {
 public:
  void send(const Backend& backend, const List<Backend, T>& list) {
    m_copy.copy(backend, list);
    const Extent& extent = m_copy.extent();
    m_room = extent.room;
    m_items.start(backend, static_cast<const T*>(m_copy.data()), static_cast<std::size_t>(m_room));
    if (extent.count) m_count.start(backend, extent.count, 1);
    m_isCounted = extent.count != nullptr;
  }
  void wait() {
    m_items.wait();
    m_count.wait();
  }
  /// Waits, and calls use(item) for each.
  template <class Use>
  void forEachItem(const Use& use) {
    const T* items = m_items.wait();
    const int count = m_isCounted ? *m_count.wait() : m_room;
    for (int index = 0; index < count; ++index) use(items[index]);
  }

 private:
  List<Backend, T> m_copy;
  typename Backend::template Download<T> m_items;
  typename Backend::template Download<int> m_count;
  int m_room = 0;
  bool m_isCounted = false;
};

}  // namespace touchstone
