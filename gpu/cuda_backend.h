#pragma once

#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "core/parallel/device/graph_captures.h"
#include "core/parallel/device/launches.h"
#include "core/parallel/device/thread_group.h"
#include "core/parallel/for_each.h"
#include "gpu/cuda_check.h"

namespace touchstone {

/// Room as wanted, or what is needed where a device has no more. @param allocate  allocate(room)
/// @return how much it is
template <class Allocate>
std::size_t allocateCapacity(std::size_t wanted, std::size_t needed, const char* what,
                             const Allocate& allocate) {
  cudaError_t error = allocate(wanted);
  if (error == cudaErrorMemoryAllocation && needed < wanted) {
    cudaGetLastError();
    wanted = needed;
    error = allocate(needed);
  }
  cudaCheck(error, what, static_cast<long>(needed));
  return wanted;
}

/// Scratch memory of Thrust's algorithms. On one stream they run one after another, so that a block is free
/// for the next as soon as its own has been launched. Blocks are kept: later steps, and the graphs that they
/// become, ask the driver for none.
class ScratchMemory {
 public:
  using value_type = char;
  ScratchMemory() = default;
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;
  ~ScratchMemory() {
    for (const Block& block : m_blocks) cudaFree(block.memory);
  }

  char* allocate(std::ptrdiff_t bytes) {
    const std::size_t wanted = static_cast<std::size_t>(bytes);
    Block* best = nullptr;
    for (Block& block : m_blocks)
      if (!block.isUsed && block.bytes >= wanted && (!best || block.bytes < best->bytes)) best = &block;
    if (!best) {
      void* memory = nullptr;
      const std::size_t capacity =
          allocateCapacity(wanted + wanted / 4, wanted, "allocation of scratch memory",
                           [&memory](std::size_t bytes) { return cudaMalloc(&memory, bytes); });
      m_blocks.push_back({static_cast<char*>(memory), capacity, false});
      best = &m_blocks.back();
    }
    best->isUsed = true;
    return best->memory;
  }
  void deallocate(char* memory, std::size_t) {
    for (Block& block : m_blocks)
      if (block.memory == memory) block.isUsed = false;
  }

 private:
  struct Block {
    char* memory;
    std::size_t bytes;
    bool isUsed;
  };
  std::vector<Block> m_blocks;
};

/// One item of a loop per thread.
template <class Body>
__global__ void runBody(const Body body, int count) {
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index < count) body(index);
}

/// The threads of a block: see core/parallel/device/thread_group.h.
struct BlockGroup {
  static constexpr bool kIsOneThread = false;
  static constexpr int kMostThreads = 256;
  template <class Body>
  __device__ void forEach(int count, const Body& body) const {
    for (int index = static_cast<int>(threadIdx.x); index < count; index += static_cast<int>(blockDim.x))
      body(index);
    __syncthreads();
  }
  __device__ bool together(bool flag) const {
    __syncthreads();
    return flag;
  }
};

template <class Program>
__global__ void __launch_bounds__(BlockGroup::kMostThreads) runGroup(const Program program) {
  program(BlockGroup(), static_cast<int>(blockIdx.x));
}

/// Runs loops on the current CUDA device, on a stream of its own. Same interface as HostBackend. Only .cu
/// files include this.
class CudaBackend {
 public:
  static constexpr bool kOnHost = false;
  static constexpr bool kIsPlanned = false;

  /// Device memory that only grows, so that a run allocates in its first steps and not later. Its contents
  /// are lost when it grows.
  template <class T>
  class Array {
   public:
    Array() = default;
    Array(Array&& other) noexcept { *this = std::move(other); }
    Array& operator=(Array&& other) noexcept {
      std::swap(m_data, other.m_data);
      std::swap(m_size, other.m_size);
      std::swap(m_capacity, other.m_capacity);
      return *this;
    }
    ~Array() { cudaFree(m_data); }

    void resize(std::size_t size) {
      m_size = size;
      if (size <= m_capacity) return;
      const std::size_t wanted = m_capacity == 0 ? size : size + size / 2;
      cudaCheck(cudaFree(m_data), "release of memory");  // waits for what still uses it
      m_data = nullptr;
      m_capacity = 0;
      m_capacity = allocateCapacity(wanted, size, "allocation", [this](std::size_t items) {
        return cudaMalloc(reinterpret_cast<void**>(&m_data), items * sizeof(T));
      });
    }
    std::size_t size() const { return m_size; }
    T* data() { return m_data; }
    const T* data() const { return m_data; }

   private:
    T* m_data = nullptr;
    std::size_t m_size = 0, m_capacity = 0;
  };

  /// A copy to the host on a stream that all of them share, beside the loops that follow, which must not
  /// write what is copied until wait(), here or of a copy that was started later. Its memory on the host is
  /// pinned, or the driver would copy in two steps and wait.
  template <class T>
  class Download {
   public:
    Download() = default;
    Download(const Download&) = delete;
    Download& operator=(const Download&) = delete;
    ~Download() {
      if (m_isUnderWay) cudaEventSynchronize(m_done);
      if (m_ready) cudaEventDestroy(m_ready);
      if (m_done) cudaEventDestroy(m_done);
      release();
    }

    void start(const CudaBackend& backend, const T* items, std::size_t count) {
      if (count == 0) return;
      provide(1);
      cudaCheck(cudaEventRecord(m_ready, backend.m_stream->handle), "an event");
      cudaCheck(cudaStreamWaitEvent(backend.m_stream->copies, m_ready, 0), "an event");
      startBehindLast(backend, items, count);
    }
    /// Of items that were there when the last copy of the backend was started: what was launched since then
    /// is not waited for.
    void startBehindLast(const CudaBackend& backend, const T* items, std::size_t count) {
      wait();
      if (count == 0) return;
      provide(count);
      cudaCheck(cudaMemcpyAsync(m_items, items, count * sizeof(T), cudaMemcpyDeviceToHost,
                                backend.m_stream->copies),
                "a download", static_cast<long>(count));
      cudaCheck(cudaEventRecord(m_done, backend.m_stream->copies), "an event");
      m_isUnderWay = true;
    }
    /// The items, when they have arrived; valid until the next start().
    const T* wait() {
      if (m_isUnderWay) cudaCheck(cudaEventSynchronize(m_done), "a download");
      m_isUnderWay = false;
      return m_items;
    }

   private:
    void provide(std::size_t count) {
      wait();  // for a copy that is on its way into this memory
      if (!m_ready) cudaCheck(cudaEventCreateWithFlags(&m_ready, cudaEventDisableTiming), "an event");
      if (!m_done) cudaCheck(cudaEventCreateWithFlags(&m_done, cudaEventDisableTiming), "an event");
      if (count <= m_capacity) return;
      const std::size_t wanted = m_capacity == 0 ? count : count + count / 2;
      release();
      m_capacity = allocateCapacity(wanted, count, "allocation on the host", [this](std::size_t items) {
        return cudaMallocHost(reinterpret_cast<void**>(&m_items), items * sizeof(T));
      });
    }
    void release() {
      if (m_items) cudaFreeHost(m_items);  // nothing says that null is none to it, as it is to cudaFree()
      m_items = nullptr;
      m_capacity = 0;
    }

    T* m_items = nullptr;
    std::size_t m_capacity = 0;
    cudaEvent_t m_ready = nullptr, m_done = nullptr;
    bool m_isUnderWay = false;
  };

  /// A sequence of loops that runs many times with the same arrays and sizes. After a few times it becomes a
  /// CUDA graph: one launch instead of one for each loop. Belongs to one such sequence; make a new one where
  /// an array or a size changes.
  class Repetition {
   public:
    Repetition() = default;
    Repetition(const Repetition&) = delete;
    Repetition& operator=(const Repetition&) = delete;
    ~Repetition() {
      if (m_graph) cudaGraphExecDestroy(m_graph);
    }

   private:
    friend class CudaBackend;
    cudaGraphExec_t m_graph = nullptr;
    int m_runs = 0;      ///< since it began, or was refused
    int m_refusals = 0;  ///< by the driver, to record it
    long m_kernels = 0;  ///< of the graph
  };

  /// Runs the sequence, in which nothing is copied from or to the host and no array grows.
  template <class Sequence>
  void repeat(Repetition& repetition, const Sequence& sequence) const {
    // Recording costs about as much as this many runs; the first one also loads the kernels, which a
    // recording cannot do.
    constexpr int kRunsBefore = 4;
    // What refuses may pass: another pane had the memory, a library waited for the whole device.
    constexpr int kMostRefusals = 3;
    if (m_stream->isOneByOne) {
      sequence();
      return;
    }
    ++repetition.m_runs;
    if (!repetition.m_graph && repetition.m_refusals < kMostRefusals && repetition.m_runs > kRunsBefore &&
        !record(repetition, sequence)) {
      ++repetition.m_refusals;
      repetition.m_runs = 0;
    }
    if (!repetition.m_graph) {
      sequence();
      return;
    }
    cudaCheck(cudaGraphLaunch(repetition.m_graph, m_stream->handle), "a graph");
    ++m_stream->launches.sent;
    m_stream->launches.kernels += repetition.m_kernels;
  }

  /// While it is on, repeat() launches each loop by itself, here and in all copies.
  void launchOneByOne(bool on) const { m_stream->isOneByOne = on; }

  /// Times between points of a sequence of loops, by events of the device: nothing waits for them, and they
  /// are part of a graph that the sequence becomes.
  class Stamps {
   public:
    Stamps() = default;
    Stamps(const Stamps&) = delete;
    Stamps& operator=(const Stamps&) = delete;
    ~Stamps() {
      for (cudaEvent_t event : m_events) cudaEventDestroy(event);
    }
    void begin(const CudaBackend& backend) {
      m_phases.clear();
      mark(backend, -1);
    }
    void mark(const CudaBackend& backend, int phase) {
      m_phases.push_back(phase);
      if (m_events.size() < m_phases.size()) {
        cudaEvent_t event = nullptr;
        cudaCheck(cudaEventCreate(&event), "an event");
        m_events.push_back(event);
      }
      cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
      cudaCheck(cudaStreamIsCapturing(backend.m_stream->handle, &status), "an event");
      const unsigned flags =
          status == cudaStreamCaptureStatusActive ? cudaEventRecordExternal : cudaEventRecordDefault;
      cudaCheck(cudaEventRecordWithFlags(m_events[m_phases.size() - 1], backend.m_stream->handle, flags),
                "an event");
    }
    /// After finish().
    template <class Times>
    void addTo(Times& times) const {
      for (std::size_t k = 1; k < m_phases.size(); ++k) {
        float milliseconds = 0;
        if (cudaEventElapsedTime(&milliseconds, m_events[k - 1], m_events[k]) == cudaSuccess)
          times[static_cast<std::size_t>(m_phases[k])] += milliseconds;
        else
          cudaGetLastError();  // no reason to leave the device: where it is lost, all other calls say so
      }
    }

   private:
    std::vector<cudaEvent_t> m_events;
    std::vector<int> m_phases;  ///< of the last run that was not a graph's; the events are those of any run
  };

  CudaBackend() : m_stream(std::make_shared<Stream>()) {}

  auto policy() const { return thrust::cuda::par_nosync(m_stream->scratch).on(m_stream->handle); }
  template <class Body>
  void run(int count, const Body& body, Work work) const {
    static_assert(sizeof(Body) <= 4000, "a kernel takes 4 KB of arguments on older devices");
    // Small blocks bring some thousand heavy items to all multiprocessors.
    const unsigned threads = work == Work::Light ? 256 : 64;
    const unsigned blocks = (static_cast<unsigned>(count) + threads - 1) / threads;
    runBody<<<blocks, threads, 0, m_stream->handle>>>(body, count);
  }
  template <class Program>
  void runGroups(int count, int width, const Program& program, Threads wish = Threads::AsFit) const {
    static_assert(sizeof(Program) <= 4000, "a kernel takes 4 KB of arguments on older devices");
    if (count <= 0) return;
    const auto placesFor = [this, count, wish](int each) {
      // One group on each has capacity for the most threads.
      if (wish == Threads::All || count <= m_stream->processors) return count;
      int perProcessor = 0;
      cudaCheck(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                    &perProcessor, reinterpret_cast<const void*>(runGroup<Program>), each, 0),
                "the device");
      return perProcessor * m_stream->processors;
    };
    const int threads = threadsOfGroup(count, width, BlockGroup::kMostThreads, placesFor);
    runGroup<<<static_cast<unsigned>(count), static_cast<unsigned>(threads), 0, m_stream->handle>>>(program);
    launched("groups", count);
  }
  int mostPasses() const { return m_stream->mostPasses; }
  template <class Algorithm>
  void call(const char* what, long count, const Algorithm& algorithm) const {
    try {
      algorithm(policy());
    } catch (const thrust::system_error& error) {  // in the words of all other failures
      throwCuda(static_cast<cudaError_t>(error.code().value()), what, count);
    }
    launched(what, count);
  }
  template <class T>
  void upload(const T* host, std::size_t count, Array<T>& device) const {
    device.resize(count);
    if (count == 0) return;
    cudaCheck(
        cudaMemcpyAsync(device.data(), host, count * sizeof(T), cudaMemcpyHostToDevice, m_stream->handle),
        "an upload", static_cast<long>(count));
    // The host's memory may be gone on return. A driver copies pageable memory before it returns only where
    // the device cannot read it by itself: newer ones can.
    finish();
  }
  template <class T>
  void download(const T* device, std::size_t count, T* host) const {
    if (count == 0) return;
    const std::size_t bytes = count * sizeof(T);
    // A driver fills pageable memory in two steps; the few bytes for which a step waits take one.
    const bool isSmall = bytes <= kPinnedBytes;
    cudaCheck(cudaMemcpyAsync(isSmall ? m_stream->pinned : static_cast<void*>(host), device, bytes,
                              cudaMemcpyDeviceToHost, m_stream->handle),
              "a download", static_cast<long>(count));
    finish();
    if (isSmall) std::memcpy(static_cast<void*>(host), m_stream->pinned, bytes);
  }
  /// As copyWithin(), by the driver.
  template <class T>
  void copyByDriver(const T* from, std::size_t count, T* to) const {
    cudaCheck(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, m_stream->handle),
              "a copy", static_cast<long>(count));
  }
  void finish() const { cudaCheck(cudaStreamSynchronize(m_stream->handle), "the stream"); }
  void launched(const char* what, long count) const {
    ++m_stream->launches.sent;
    ++m_stream->launches.kernels;
    cudaCheck(cudaPeekAtLastError(), what, count);
  }
  Launches launches() const { return m_stream->launches; }

 private:
  // Where a kernel keeps a display waiting; chosen from counts of accesses to memory.
  static constexpr int kPassesWithinLimit = 64;
  static constexpr std::size_t kPinnedBytes = 4096;

  struct Stream {
    Stream() {
      try {
        open();
      } catch (...) {
        close();
        throw;
      }
    }
    ~Stream() { close(); }
    void open() {
      cudaCheck(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "a stream");
      cudaCheck(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking), "a stream");
      int device = 0, hasTimeLimit = 0;
      cudaCheck(cudaGetDevice(&device), "the device");
      cudaCheck(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "the device");
      cudaCheck(cudaDeviceGetAttribute(&hasTimeLimit, cudaDevAttrKernelExecTimeout, device), "the device");
      if (hasTimeLimit) mostPasses = kPassesWithinLimit;
      cudaCheck(cudaMallocHost(&pinned, kPinnedBytes), "allocation on the host");
    }
    void close() {
      if (pinned) cudaFreeHost(pinned);
      if (handle) cudaStreamDestroy(handle);
      if (copies) cudaStreamDestroy(copies);
    }
    cudaStream_t handle = nullptr;
    cudaStream_t copies = nullptr;  ///< to the host, beside the loops
    void* pinned = nullptr;         ///< [kPinnedBytes] on the host
    Launches launches;
    int processors = 0;  ///< multiprocessors
    int mostPasses = kAllPasses;
    bool isOneByOne = false;
    ScratchMemory scratch;
  };

  template <class Sequence>
  bool record(Repetition& repetition, const Sequence& sequence) const {
    const Launches launches = m_stream->launches;
    cudaGraph_t graph = nullptr;
    std::string refusal;
    try {
      cudaCheck(cudaStreamBeginCapture(m_stream->handle, cudaStreamCaptureModeThreadLocal), "a recording");
      // Whatever happens, the capture has to end before anything else is asked of the stream or this thread.
      try {
        sequence();
      } catch (const std::exception& error) {
        refusal = error.what();
      }
      const cudaError_t end = cudaStreamEndCapture(m_stream->handle, &graph);
      if (refusal.empty()) {
        cudaCheck(end, "the end of a recording");
        repetition.m_kernels = kernelsOf(graph);
        cudaCheck(cudaGraphInstantiateWithFlags(&repetition.m_graph, graph, 0), "a graph");
      }
    } catch (const std::exception& error) {
      refusal = error.what();
    }
    m_stream->launches = launches;
    if (graph) cudaGraphDestroy(graph);
    if (refusal.empty()) {
      noteGraphCapture();
      return true;
    }
    cudaGetLastError();
    repetition.m_graph = nullptr;
    noteRefusedGraphCapture(refusal);
    return false;
  }

  static long kernelsOf(cudaGraph_t graph) {
    std::size_t count = 0;
    cudaCheck(cudaGraphGetNodes(graph, nullptr, &count), "a graph");
    std::vector<cudaGraphNode_t> nodes(count);
    cudaCheck(cudaGraphGetNodes(graph, nodes.data(), &count), "a graph");
    return std::count_if(nodes.begin(), nodes.end(), [](cudaGraphNode_t node) {
      cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
      cudaCheck(cudaGraphNodeGetType(node, &type), "a graph");
      return type == cudaGraphNodeTypeKernel;
    });
  }

  std::shared_ptr<Stream> m_stream;
};

}  // namespace touchstone
