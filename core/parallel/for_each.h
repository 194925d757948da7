#pragma once

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

namespace touchstone {

/// body(0) … body(count − 1), in any order and concurrently. A body writes only its own slots, so that
/// results do not depend on the number of threads.
template <class Backend, class Body>
void forEach(const Backend& backend, int count, const Body& body) {
  thrust::for_each_n(backend.policy(), thrust::counting_iterator<int>(0), count, body);
}

}  // namespace touchstone
