#pragma once

namespace touchstone {

/// How much one item of a loop does: on the host, a loop that is over before its threads are awake runs
/// without them; a device spreads few heavy items over many of its processors.
enum class Work { Light, Heavy };  // some ten nanoseconds, some hundred
constexpr int serialBelow(Work work) { return work == Work::Light ? 4096 : 128; }

/// body(0) … body(count − 1), in any order and concurrently. A body writes only its own slots, so that
/// results do not depend on the number of threads.
template <class Backend, class Body>
void forEach(const Backend& backend, int count, const Body& body, Work work = Work::Light) {
  if (count <= 0) return;
  if constexpr (Backend::kOnHost) {
    if (count < serialBelow(work)) {
      for (int index = 0; index < count; ++index) body(index);
      return;
    }
  }
  backend.run(count, body, work);
  backend.launched("loop", count);
}

}  // namespace touchstone
