#pragma once

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

// Replaces functions of the system and the heap in a test program, so that one call fails. Include it in one
// source of a program only.

namespace touchstone::test {

/// Which call of a kind fails: call number `at`, from 1, of the thread that started counting.
class Failure {
 public:
  enum class Then { Works, FailsToo };  ///< result of later calls

  Failure(Failure*& current, long at, Then then) : m_current(current), m_at(at), m_then(then) {
    m_current = this;
  }
  ~Failure() { m_current = nullptr; }
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;

  bool counts() {
    ++m_calls;
    return m_calls == m_at || (m_calls > m_at && m_then == Then::FailsToo);
  }
  /// True if that call was reached.
  bool happened() const { return m_calls >= m_at; }

 private:
  Failure*& m_current;
  long m_at, m_calls = 0;
  Then m_then;
};

inline thread_local Failure* failingWrites = nullptr;
inline thread_local Failure* failingAllocations = nullptr;

/// Call that writes to a disk; fails as on a full disk.
inline bool writeFails(int file = STDERR_FILENO + 1) {
  if (!failingWrites || file <= STDERR_FILENO || !failingWrites->counts()) return false;
  errno = ENOSPC;
  return true;
}

/// The JSON library allocates memory to free a value, in a destructor that must not throw.
inline bool isWithinJsonDestructor() {
  constexpr int kDepth = 12;
  void* calls[kDepth];
  const int depth = backtrace(calls, kDepth);
  for (int call = 0; call < depth; ++call) {
    Dl_info info;
    if (!dladdr(calls[call], &info) || !info.dli_sname || !std::strstr(info.dli_sname, "nlohmann")) continue;
    if (std::strstr(info.dli_sname, "destroy") || std::strstr(info.dli_sname, "D1Ev") ||
        std::strstr(info.dli_sname, "D2Ev"))
      return true;
  }
  return false;
}

inline void* allocated(std::size_t size, std::size_t alignment) {
  if (Failure* failure = failingAllocations) {
    failingAllocations = nullptr;  // later code may allocate too
    const bool fails = failure->counts() && !isWithinJsonDestructor();
    failingAllocations = failure;
    if (fails) throw std::bad_alloc();
  }
  const std::size_t whole = (size + alignment) / alignment * alignment;
  void* memory =
      alignment <= alignof(std::max_align_t) ? std::malloc(size + 1) : std::aligned_alloc(alignment, whole);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace touchstone::test

void* operator new(std::size_t size) { return touchstone::test::allocated(size, 1); }
void* operator new[](std::size_t size) { return touchstone::test::allocated(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return touchstone::test::allocated(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return touchstone::test::allocated(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" {

ssize_t write(int file, const void* bytes, size_t count) {
  return touchstone::test::writeFails(file) ? -1 : syscall(SYS_write, file, bytes, count);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  return touchstone::test::writeFails(file) ? -1 : syscall(SYS_writev, file, parts, count);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t place) {
  return touchstone::test::writeFails(file) ? -1 : syscall(SYS_pwrite64, file, bytes, count, place);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t place) {
  return touchstone::test::writeFails(file) ? -1 : syscall(SYS_pwrite64, file, bytes, count, place);
}
int fsync(int file) {
  return touchstone::test::writeFails(file) ? -1 : static_cast<int>(syscall(SYS_fsync, file));
}
int fdatasync(int file) {
  return touchstone::test::writeFails(file) ? -1 : static_cast<int>(syscall(SYS_fdatasync, file));
}
int rename(const char* from, const char* to) noexcept {
  return touchstone::test::writeFails() ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);
}
int mkdir(const char* path, mode_t mode) noexcept {
  return touchstone::test::writeFails() ? -1 : mkdirat(AT_FDCWD, path, mode);
}

}  // extern "C"
