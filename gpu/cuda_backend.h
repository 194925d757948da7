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
#include "core/parallel/for_each.h"
#include "core/parallel/launches.h"
#include "core/parallel/thread_group.h"
#include "gpu/cuda_check.h"

namespace touchstone {

/// Allocates the wanted capacity, or the needed one if the device has no more memory. @param allocate
/// allocate(capacity)
/// @return the allocated capacity
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

/// Scratch memory of Thrust's algorithms. Algorithms on one stream run one after another, so that a block is
/// free for the next algorithm as soon as its own has been launched. Blocks are kept: later steps, and the
/// graphs made from them, allocate nothing.
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
    const std::size_t wanted = bytes;
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

/// A loop with one item per thread.
template <class Body>
__global__ void runBody(const Body body, int count) {
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index < count) body(index);
}

/// The threads of a block: see core/parallel/thread_group.h.
struct BlockGroup {
  static constexpr bool kIsOneThread = false;
  // A larger block leaves fewer registers for each thread; a smaller one makes large programs take more
  // passes over their items.
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

/// Runs loops on the current CUDA device, on a separate stream. Same interface as HostBackend. Only .cu files
/// include this header.
class CudaBackend {
 public:
  static constexpr bool kOnHost = false;
  static constexpr bool kIsPlanned = false;

  /// Device memory that only grows, so that only the first steps of a run allocate. Growing loses the
  /// content.
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
      cudaCheck(cudaFree(m_data), "release of memory");  // waits until the memory is no longer in use
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

  /// A download to the host on a common stream of all downloads, concurrent with later loops. These must not
  /// write the downloaded items until wait() returns, for this download or a later one. The host memory is
  /// pinned; otherwise the driver would copy in two steps and wait.
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
    /// Downloads the items as they were when the backend's last download started; does not wait for later
    /// launches.
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
    /// Returns the items when they have arrived; valid until the next start().
    const T* wait() {
      if (m_isUnderWay) cudaCheck(cudaEventSynchronize(m_done), "a download");
      m_isUnderWay = false;
      return m_items;
    }

   private:
    void provide(std::size_t count) {
      wait();  // a download into this memory may be running
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
      if (m_items) cudaFreeHost(m_items);  // unlike cudaFree(), it is not documented to accept null
      m_items = nullptr;
      m_capacity = 0;
    }

    T* m_items = nullptr;
    std::size_t m_capacity = 0;
    cudaEvent_t m_ready = nullptr, m_done = nullptr;
    bool m_isUnderWay = false;
  };

  /// A sequence of loops that runs many times with the same arrays and sizes. After a few runs it becomes a
  /// CUDA graph: one launch instead of one per loop. It belongs to one sequence; replace it if an array or a
  /// size changes.
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
    int m_runs = 0;      ///< since the begin, or since a refusal
    int m_refusals = 0;  ///< times that the driver refused to capture it
    long m_kernels = 0;  ///< of the graph
  };

  /// Runs the sequence. It must not copy from or to the host, and no array may grow in it.
  template <class Sequence>
  void repeat(Repetition& repetition, const Sequence& sequence) const {
    // A capture costs about as much as this many runs; the first run also loads the kernels, which a capture
    // cannot do. A larger value delays graphs; a smaller one captures sequences that soon change.
    constexpr int kRunsBefore = 4;
    // The cause of a refusal may pass: another pane used the memory, or a library waited for the device. A
    // larger value wastes captures; a smaller one gives graphs up too soon.
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

  /// While it is on, repeat() launches each loop separately, in this object and in all its copies.
  void launchOneByOne(bool on) const { m_stream->isOneByOne = on; }

  /// Measures times between points of a sequence of loops by events of the device. Nothing waits for them,
  /// and they become part of the sequence's graph.
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
    /// Call it after finish().
    template <class Times>
    void addTo(Times& times) const {
      for (std::size_t k = 1; k < m_phases.size(); ++k) {
        float milliseconds = 0;
        if (cudaEventElapsedTime(&milliseconds, m_events[k - 1], m_events[k]) == cudaSuccess)
          times[m_phases[k]] += milliseconds;
        else
          cudaGetLastError();  // no reason to leave the device: if it is lost, all other calls fail too
      }
    }

   private:
    std::vector<cudaEvent_t> m_events;
    std::vector<int> m_phases;  ///< of the last run without a graph; the events are those of any run
  };

  CudaBackend() : m_stream(std::make_shared<Stream>()) {}

  auto policy() const { return thrust::cuda::par_nosync(m_stream->scratch).on(m_stream->handle); }
  template <class Body>
  void run(int count, const Body& body, Work work) const {
    static_assert(sizeof(Body) <= 4000, "a kernel takes 4 KB of arguments on older devices");
    // Small blocks distribute some thousand heavy items over all multiprocessors.
    const unsigned threads = work == Work::Light ? 256 : 64;
    const unsigned blocks = (static_cast<unsigned>(count) + threads - 1) / threads;
    runBody<<<blocks, threads, 0, m_stream->handle>>>(body, count);
  }
  template <class Program>
  void runGroups(int count, int width, const Program& program, Threads wish = Threads::AsFit) const {
    static_assert(sizeof(Program) <= 4000, "a kernel takes 4 KB of arguments on older devices");
    if (count <= 0) return;
    const auto placesFor = [this, count, wish](int threads) {
      // With one group per multiprocessor each has its largest number of threads.
      if (wish == Threads::All || count <= m_stream->processors) return count;
      int perProcessor = 0;
      cudaCheck(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                    &perProcessor, reinterpret_cast<const void*>(runGroup<Program>), threads, 0),
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
    } catch (const thrust::system_error& error) {  // reported like all other failures
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
    // The host's memory may be freed after the return. A driver copies pageable memory before it returns only
    // if the device cannot read it directly, which newer devices can.
    finish();
  }
  template <class T>
  void download(const T* device, std::size_t count, T* host) const {
    if (count == 0) return;
    const std::size_t bytes = count * sizeof(T);
    // A driver copies pageable memory in two steps; the few bytes for which a step waits are copied in one.
    const bool isSmall = bytes <= kPinnedBytes;
    cudaCheck(cudaMemcpyAsync(isSmall ? m_stream->pinned : static_cast<void*>(host), device, bytes,
                              cudaMemcpyDeviceToHost, m_stream->handle),
              "a download", static_cast<long>(count));
    finish();
    if (isSmall) std::memcpy(static_cast<void*>(host), m_stream->pinned, bytes);
  }
  /// Does what copyWithin() does, with the driver's function.
  template <class T>
  void copyByDriver(const T* source, std::size_t count, T* target) const {
    cudaCheck(cudaMemcpyAsync(target, source, count * sizeof(T), cudaMemcpyDeviceToDevice, m_stream->handle),
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
  // Number of passes if kernels delay a display; chosen from counts of memory accesses. A larger value risks
  // that the driver aborts a kernel; a smaller one costs more launches.
  static constexpr int kPassesWithinLimit = 64;
  // Largest download through pinned memory. A larger value pins more memory; a smaller one makes more
  // downloads take two steps.
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
    cudaStream_t copies = nullptr;  ///< for downloads that run concurrently with the loops
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
      // The capture must end in any case before the next use of the stream or of this thread.
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
