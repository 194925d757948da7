#pragma once

#include "core/parallel/device/double_buffer.h"
#include "core/parallel/list.h"

namespace touchstone {

/// Downloads of a list to the host through a DoubleBuffer. The list may change during a download.
template <class Backend, class T>
class ListDoubleBuffer {
 public:
  void send(const Backend& backend, const List<Backend, T>& list) {
    wait();  // the previous download still reads m_copy
    m_copy.copy(backend, list);
    const Extent& extent = m_copy.extent();
    m_items.start(backend, static_cast<const T*>(m_copy.data()), extent.capacity);
    if (extent.count) m_count.start(backend, extent.count, 1);
    m_isCounted = extent.count != nullptr;
  }
  void wait() {
    m_items.wait();
    m_count.wait();
  }
  void keep() {
    m_items.keep();
    m_count.keep();
    m_isKeptCounted = m_isCounted;
  }
  /// Calls use(item) for each kept item.
  template <class Use>
  void forEachKept(const Use& use) {
    const T* items = m_items.items();
    const int count = m_isKeptCounted ? *m_count.items() : static_cast<int>(m_items.count());
    for (int index = 0; index < count; ++index) use(items[index]);
  }

 private:
  List<Backend, T> m_copy;
  DoubleBuffer<Backend, T> m_items;
  DoubleBuffer<Backend, int> m_count;
  bool m_isCounted = false, m_isKeptCounted = false;
};

}  // namespace touchstone
