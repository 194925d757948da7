#pragma once

#include <cstddef>

namespace touchstone::test {

/// Memory that code may access while access is watched.
enum class Reach { Host, Device, Both };

constexpr int kTrespass = 42;  ///< exit code after a forbidden memory access

/// Host memory that behaves like device memory: new memory is filled with rubbish, and old content stays
/// readable until the memory is given out again. If a program has written behind the end of a block, it ends
/// with kTrespass when the block is released. On demand this memory is really separate: see watchReach().
void* allocateOnDevice(std::size_t bytes);
void releaseOnDevice(void* memory, std::size_t bytes);

/// Ends the program with kTrespass and prints a line on stderr.
[[noreturn]] void endWith(const char* line);

/// From now on accesses that would fail on a device fail here: the host's code cannot access memory of the
/// device, and loops cannot access the host's heap. A forbidden access ends the process with kTrespass and a
/// line on stderr that names the loop. For a process with one thread (fork() makes one); Linux only.
/// @return false if this is not possible
bool watchReach();

/// Sets the present reach; no effect unless access is watched. @param what  a text for the report that
/// outlives the loop
void setReach(Reach reach, const char* what);
bool isReachWatched();

/// Allows both memories during its lifetime: for copies, and for algorithms that keep scratch on the host.
class ReachOfBoth {
 public:
  explicit ReachOfBoth(const char* what) { setReach(Reach::Both, what); }
  ~ReachOfBoth() { setReach(Reach::Host, "the host"); }
  ReachOfBoth(const ReachOfBoth&) = delete;
  ReachOfBoth& operator=(const ReachOfBoth&) = delete;
};

}  // namespace touchstone::test
