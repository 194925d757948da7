#include "tests/support/device_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#endif
#if defined(__linux__)
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#endif

namespace touchstone::test {

void endWith(const char* line) {
  std::fputs(line, stderr);
  std::_Exit(kTrespass);
}

namespace {

constexpr int kRubbish = 0xA5;       // a large negative integer, a tiny negative double
constexpr std::size_t kBehind = 64;  // bytes of rubbish behind a block, which must not be written

#if defined(__linux__)

constexpr std::size_t kRegion = std::size_t(1) << 36;  // of addresses; memory is used on demand
constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t(2) << 20;
constexpr std::size_t kHeldBack = std::size_t(256) << 20;

/// One region for all device memory, so that one call protects or releases it. Freed blocks wait before they
/// are used again, because a running download may still read them.
class Region {
 public:
  Region() {
    void* memory =
        mmap(nullptr, kRegion, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    m_begin = m_end = static_cast<char*>(memory);
    madvise(memory, kRegion, MADV_HUGEPAGE);  // protection takes time per page
  }
  void* allocate(std::size_t bytes) {
    const std::lock_guard lock(m_mutex);
    const std::size_t size = sizeOf(bytes);
    std::vector<char*>& free = m_free[size];
    char* block = m_end;
    if (!free.empty()) {
      block = free.back();
      free.pop_back();
    } else if (m_end + size > m_begin + kRegion) {
      throw std::bad_alloc();
    } else {
      m_end += size;
    }
    return block;
  }
  void release(void* memory, std::size_t bytes) {
    const std::lock_guard lock(m_mutex);
    m_heldBack.push_back({static_cast<char*>(memory), sizeOf(bytes)});
    m_bytesHeldBack += m_heldBack.back().bytes;
    while (m_bytesHeldBack > kHeldBack) {
      const Block block = m_heldBack.front();
      m_heldBack.pop_front();
      m_bytesHeldBack -= block.bytes;
      madvise(block.memory, block.bytes, MADV_DONTNEED);
      m_free[block.bytes].push_back(block.memory);
    }
  }
  char* begin() const { return m_begin; }
  /// Size of the part that is protected or released: everything that was ever allocated, in whole pages.
  std::size_t used() const {
    const std::size_t bytes = m_end - m_begin;
    return (bytes + kHugePage - 1) / kHugePage * kHugePage;
  }

 private:
  struct Block {
    char* memory;
    std::size_t bytes;
  };
  static std::size_t sizeOf(std::size_t bytes) {
    std::size_t size = kPage;
    while (size < bytes + kBehind) size *= 2;
    return size;
  }

  std::mutex m_mutex;
  char *m_begin, *m_end;
  std::map<std::size_t, std::vector<char*>> m_free;
  std::deque<Block> m_heldBack;
  std::size_t m_bytesHeldBack = 0;
};

Region& region() {
  static Region* all = new Region;  // arrays of static objects may be freed after all other statics
  return *all;
}

// Static memory: the heap is protected when these are used.
bool isWatched = false;
const char* volatile where = "";
Reach volatile reachNow = Reach::Both;
char* deviceBegin = nullptr;
struct Range {
  std::uintptr_t begin, end;
};
Range heap[1024];
int heapRanges = 0;
char maps[1 << 20];
long closings = 0;
constexpr long kClosingsBetween = 64;  // the heap rarely grows, and finding it takes long

void say(const char* text) { [[maybe_unused]] const auto written = write(STDERR_FILENO, text, strlen(text)); }

void onTrespass(int, siginfo_t* info, void*) {
  const char* address = static_cast<const char*>(info->si_addr);
  const bool ofDevice = address >= deviceBegin && address < deviceBegin + kRegion;
  say(ofDevice                    ? "the host's code reached into the device's memory, after "
      : reachNow == Reach::Device ? "reached into the host's memory: "
                                  : "segmentation fault, after ");
  say(where);
  say("\n");
  _exit(kTrespass);
}

std::uintptr_t hexadecimal(const char*& text) {
  char* end = nullptr;
  const std::uintptr_t value = std::strtoull(text, &end, 16);
  text = end;
  return value;
}

/// Finds the host's writable memory that belongs to no file, stack or thread: the heap.
void findHeap() {
  const int file = open("/proc/self/maps", O_RDONLY);
  std::size_t length = 0;
  for (ssize_t count = 1; count > 0 && length + 1 < sizeof maps; length += static_cast<std::size_t>(count))
    count = std::max<ssize_t>(0, read(file, maps + length, sizeof maps - 1 - length));
  close(file);
  maps[length] = '\0';
  heapRanges = 0;
  std::uintptr_t endOfFile = 0;  // memory that follows a file without a gap is its remaining data
  const auto own = reinterpret_cast<std::uintptr_t>(&errno);
  const auto device = reinterpret_cast<std::uintptr_t>(deviceBegin);
  for (const char* line = maps; *line;) {
    const char* next = std::strchr(line, '\n');
    const char* text = line;
    const std::uintptr_t begin = hexadecimal(text);
    ++text;  // the dash
    const std::uintptr_t end = hexadecimal(text);
    const bool isWritable = std::strncmp(text, " rw-p", 5) == 0;
    const char* slash = std::strchr(line, '/');
    const char* bracket = std::strchr(line, '[');
    const bool isFile = slash && slash < next;
    const bool isNamed = bracket && bracket < next;
    const bool isHeap = isNamed && std::strncmp(bracket, "[heap]", 6) == 0;
    const bool isDevice = begin < device + kRegion && end > device;
    const bool isThread = begin <= own && own < end;
    if (isFile) {
      endOfFile = end;
    } else if (begin == endOfFile && !isHeap) {
      endOfFile = end;
    } else if (isWritable && (isHeap || !isNamed) && !isDevice && !isThread && heapRanges < 1024) {
      heap[heapRanges++] = {begin, end};
    }
    line = next ? next + 1 : line + std::strlen(line);
  }
}

void protectHeap(int protection) {
  for (int range = 0; range < heapRanges; ++range)
    mprotect(reinterpret_cast<void*>(heap[range].begin), heap[range].end - heap[range].begin, protection);
}

#endif

}  // namespace

#if defined(__linux__)

void* allocateOnDevice(std::size_t bytes) {
  void* memory = region().allocate(bytes);
  const ReachOfBoth reach("new memory");
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes + kBehind);
  std::memset(memory, kRubbish, bytes + kBehind);
  ASAN_POISON_MEMORY_REGION(static_cast<char*>(memory) + bytes, kBehind);
  return memory;
}

void releaseOnDevice(void* memory, std::size_t bytes) {
  if (!memory) return;
  {
    const ReachOfBoth reach("released memory");
    const unsigned char* behind = static_cast<const unsigned char*>(memory) + bytes;
    ASAN_UNPOISON_MEMORY_REGION(behind, kBehind);
    if (!std::all_of(behind, behind + kBehind, [](unsigned char byte) { return byte == kRubbish; }))
      endWith("something was written behind the end of an array of the device\n");
  }
  region().release(memory, bytes);
}

bool watchReach() {
  deviceBegin = region().begin();
  struct sigaction action = {};
  action.sa_sigaction = onTrespass;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  isWatched = sigaction(SIGSEGV, &action, nullptr) == 0;
  setReach(Reach::Host, "the host");
  return isWatched;
}

bool isReachWatched() { return isWatched; }

void setReach(Reach reach, const char* what) {
  if (!isWatched) return;
  where = what;
  if (reachNow == Reach::Device) protectHeap(PROT_READ | PROT_WRITE);
  mprotect(region().begin(), region().used(), reach == Reach::Host ? PROT_NONE : PROT_READ | PROT_WRITE);
  if (reach == Reach::Device) {
    if (closings++ % kClosingsBetween == 0) findHeap();
    protectHeap(PROT_NONE);
  }
  reachNow = reach;
}

#else

void* allocateOnDevice(std::size_t bytes) { return std::memset(::operator new(bytes), kRubbish, bytes); }
void releaseOnDevice(void* memory, std::size_t) { ::operator delete(memory); }
bool watchReach() { return false; }
bool isReachWatched() { return false; }
void setReach(Reach, const char*) {}

#endif

}  // namespace touchstone::test
