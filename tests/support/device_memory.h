#pragma once

#include <cstddef>

namespace touchstone::test {

/// Whose memory code may reach, where reach is watched.
enum class Reach { Host, Device, Both };

constexpr int kTrespass = 42;  ///< exit code of a program that did to memory what it must not

/// Memory as a device has it, on the host: full of rubbish when it is new, and what was in it may be read
/// until it is given to someone else. A program that has written behind the end of a block ends with
/// kTrespass when the block is released. On demand this memory is really apart: see watchReach().
void* allocateOnDevice(std::size_t bytes);
void releaseOnDevice(void* memory, std::size_t bytes);

/// Ends the program with kTrespass and a line on stderr.
[[noreturn]] void endWith(const char* line);

/// From now on what would fail on a device fails here: the host's code cannot read or write memory of the
/// device, and loops cannot read or write the host's heap. A trespass ends the process with kTrespass and a
/// line on stderr that names the loop. For a process with one thread (fork() makes one); Linux only.
/// @return false where this is not possible
bool watchReach();

/// Does nothing unless reach is watched. @param what  a text that outlives the loop, for the report
void setReach(Reach reach, const char* what);
bool isReachWatched();

/// Reach of both memories while it lives: copies, and algorithms that keep scratch on the host.
class ReachOfBoth {
 public:
  explicit ReachOfBoth(const char* what) { setReach(Reach::Both, what); }
  ~ReachOfBoth() { setReach(Reach::Host, "the host"); }
  ReachOfBoth(const ReachOfBoth&) = delete;
  ReachOfBoth& operator=(const ReachOfBoth&) = delete;
};

}  // namespace touchstone::test
