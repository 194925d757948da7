#pragma once

#include <thrust/system/cuda/execution_policy.h>

#include <memory>
#include <vector>

#include "core/parallel/for_each.h"
#include "gpu/cuda_check.h"

namespace touchstone {

/// Scratch memory of Thrust's algorithms from the driver's pool, in stream order: no launch waits for it.
class StreamAllocator {
 public:
  using value_type = char;
  explicit StreamAllocator(cudaStream_t stream) : m_stream(stream) {}
  char* allocate(std::ptrdiff_t bytes) {
    void* memory = nullptr;
    cudaCheck(cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), m_stream), "scratch memory", bytes);
    return static_cast<char*>(memory);
  }
  void deallocate(char* memory, std::size_t) { cudaFreeAsync(memory, m_stream); }

 private:
  cudaStream_t m_stream;
};

/// One item of a loop per thread.
template <class Body>
__global__ void runBody(const Body body, int count) {
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index < count) body(index);
}

/// Runs loops on the current CUDA device, on a stream of its own. Same interface as HostBackend. Only .cu
/// files include this.
class CudaBackend {
 public:
  static constexpr bool kOnHost = false;

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
      const std::size_t capacity = m_capacity == 0 ? size : size + size / 2;
      cudaFree(m_data);  // waits for what still uses it
      m_data = nullptr;
      m_capacity = 0;
      cudaCheck(cudaMalloc(reinterpret_cast<void**>(&m_data), capacity * sizeof(T)), "memory",
                static_cast<long>(capacity));
      m_capacity = capacity;
    }
    std::size_t size() const { return m_size; }
    T* data() { return m_data; }
    const T* data() const { return m_data; }

   private:
    T* m_data = nullptr;
    std::size_t m_size = 0, m_capacity = 0;
  };

  /// A copy to the host on a stream of its own, beside the loops that follow, which must not write what is
  /// copied until wait(). Its memory on the host is pinned, or the driver would copy in two steps and wait.
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
      cudaFreeHost(m_items);
    }

    void start(const CudaBackend& backend, const T* items, std::size_t count) {
      wait();
      if (count == 0) return;
      const long size = static_cast<long>(count);
      provide(count);
      cudaCheck(cudaEventRecord(m_ready, backend.m_stream->handle), "an event", 1);
      cudaCheck(cudaStreamWaitEvent(backend.m_stream->copies, m_ready, 0), "an event", 1);
      cudaCheck(cudaMemcpyAsync(m_items, items, count * sizeof(T), cudaMemcpyDeviceToHost,
                                backend.m_stream->copies),
                "download", size);
      cudaCheck(cudaEventRecord(m_done, backend.m_stream->copies), "an event", 1);
      m_isUnderWay = true;
    }
    /// The items, when they have arrived; valid until the next start().
    const T* wait() {
      if (m_isUnderWay) cudaCheck(cudaEventSynchronize(m_done), "download", 1);
      m_isUnderWay = false;
      return m_items;
    }

   private:
    void provide(std::size_t count) {
      if (!m_ready) cudaCheck(cudaEventCreateWithFlags(&m_ready, cudaEventDisableTiming), "an event", 1);
      if (!m_done) cudaCheck(cudaEventCreateWithFlags(&m_done, cudaEventDisableTiming), "an event", 1);
      if (count <= m_capacity) return;
      const std::size_t capacity = m_capacity == 0 ? count : count + count / 2;
      cudaFreeHost(m_items);
      m_items = nullptr;
      m_capacity = 0;
      cudaCheck(cudaMallocHost(reinterpret_cast<void**>(&m_items), capacity * sizeof(T)), "pinned memory",
                static_cast<long>(capacity));
      m_capacity = capacity;
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
    int m_runs = 0;
    bool m_isPlain = false;  ///< the driver would not record it
  };

  /// Runs the sequence, in which nothing is copied from or to the host and no array grows.
  template <class Sequence>
  void repeat(Repetition& repetition, const Sequence& sequence) const {
    // Recording costs about as much as this many runs; the first one also loads the kernels, which a
    // recording cannot do.
    constexpr int kRunsBefore = 4;
    ++repetition.m_runs;
    if (!repetition.m_graph && !repetition.m_isPlain && repetition.m_runs > kRunsBefore)
      repetition.m_isPlain = !record(repetition, sequence);
    if (!repetition.m_graph) {
      sequence();
      return;
    }
    cudaCheck(cudaGraphLaunch(repetition.m_graph, m_stream->handle), "graph", 1);
    ++m_stream->launches;
  }

  CudaBackend() : m_stream(std::make_shared<Stream>()), m_scratch(m_stream->handle) {}

  auto policy() const { return thrust::cuda::par_nosync(m_scratch).on(m_stream->handle); }
  template <class Body>
  void run(int count, const Body& body, Work work) const {
    static_assert(sizeof(Body) <= 4000, "a kernel takes 4 KB of arguments on older devices");
    // Small blocks bring some thousand heavy items to all multiprocessors.
    const unsigned threads = work == Work::Heavy ? 64 : 256;
    const unsigned blocks = (static_cast<unsigned>(count) + threads - 1) / threads;
    runBody<<<blocks, threads, 0, m_stream->handle>>>(body, count);
  }
  template <class T>
  void upload(const T* host, std::size_t count, Array<T>& device) const {
    device.resize(count);
    if (count == 0) return;
    cudaCheck(
        cudaMemcpyAsync(device.data(), host, count * sizeof(T), cudaMemcpyHostToDevice, m_stream->handle),
        "upload", static_cast<long>(count));
  }
  template <class T>
  void download(const T* device, std::size_t count, T* host) const {
    if (count == 0) return;
    cudaCheck(cudaMemcpyAsync(host, device, count * sizeof(T), cudaMemcpyDeviceToHost, m_stream->handle),
              "download", static_cast<long>(count));
    finish();
  }
  void finish() const { cudaCheck(cudaStreamSynchronize(m_stream->handle), "the stream", 1); }
  void launched(const char* what, long count) const {
    ++m_stream->launches;
    cudaCheck(cudaPeekAtLastError(), what, count);
  }
  long launches() const { return m_stream->launches; }

 private:
  struct Stream {
    Stream() {
      cudaCheck(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "a stream", 1);
      cudaCheck(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking), "a stream", 1);
    }
    ~Stream() {
      cudaStreamDestroy(handle);
      if (copies) cudaStreamDestroy(copies);
    }
    cudaStream_t handle = nullptr;
    cudaStream_t copies = nullptr;  ///< to the host, beside the loops
    long launches = 0;
  };

  template <class Sequence>
  bool record(Repetition& repetition, const Sequence& sequence) const {
    if (cudaStreamBeginCapture(m_stream->handle, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
      cudaGetLastError();
      return false;
    }
    const long launches = m_stream->launches;
    bool isRecorded = true;
    try {
      sequence();
    } catch (const std::runtime_error&) {
      isRecorded = false;  // the capture has to end before anything else is asked of the stream
    }
    m_stream->launches = launches;
    cudaGraph_t graph = nullptr;
    isRecorded = cudaStreamEndCapture(m_stream->handle, &graph) == cudaSuccess && isRecorded;
    isRecorded = isRecorded && cudaGraphInstantiateWithFlags(&repetition.m_graph, graph, 0) == cudaSuccess;
    if (graph) cudaGraphDestroy(graph);
    if (!isRecorded) {
      repetition.m_graph = nullptr;
      cudaGetLastError();
    }
    return isRecorded;
  }

  std::shared_ptr<Stream> m_stream;
  mutable StreamAllocator m_scratch;
};

}  // namespace touchstone
