#pragma once

#include <vector>

#include "core/math/host_device.h"
#include "core/parallel/for_each.h"

namespace touchstone {

namespace detail {

template <class T>
struct CopyItem {
  const T* source;
  T* to;
  TS_HD void operator()(int index) const { to[index] = source[index]; }
};

template <class T>
struct SetItem {
  T* items;
  T value;
  TS_HD void operator()(int index) const { items[index] = value; }
};

}  // namespace detail

/// Copies [0, count) within the memory of the backend.
template <class Backend, class T>
void copyWithin(const Backend& backend, const T* source, int count, T* target) {
  forEach(backend, count, detail::CopyItem<T>{source, target});
}

/// Returns the first `count` items. Waits for them.
template <class Backend, class T>
std::vector<T> fetched(const Backend& backend, const T* items, std::size_t count) {
  std::vector<T> copy(count);
  backend.download(items, count, copy.data());
  return copy;
}

/// Sets [0, count) to one value.
template <class Backend, class T>
void fill(const Backend& backend, T* items, int count, T value) {
  forEach(backend, count, detail::SetItem<T>{items, value});
}

}  // namespace touchstone
