#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/contact/memory_array.h"
#include "core/contact/method.h"
#include "core/math/count.h"
#include "core/parallel/copy.h"
#include "core/parallel/device/list_double_buffer.h"

namespace touchstone {

// The numbers of an entry, in the order in which they are kept. An entry of contact memory has such a
// function too.

template <class Visit>
void eachNumber(const Visit& visit, FeaturePair& pair) {
  visit(pair.kind);
  visit(pair.a);
  visit(pair.b);
}

/// Visits that write and read them; yes and no are whole numbers.
struct PutNumbers {
  ByteWriter& bytes;
  template <class T>
  void operator()(T& item) const {
    if constexpr (std::is_same_v<T, bool>)
      bytes.put(static_cast<int>(item));
    else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Vec3>)
      bytes.put(item);
    else
      eachNumber(*this, item);
  }
};
struct GetNumbers {
  ByteReader& bytes;
  template <class T>
  void operator()(T& item) const {
    if constexpr (std::is_same_v<T, bool>) {
      int number = 0;
      bytes.get(number);
      item = number != 0;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Vec3>) {
      bytes.get(item);
    } else {
      eachNumber(*this, item);
    }
  }
};

namespace detail {

/// Entries up to the end, or as many as a number before them says.
template <class T>
std::vector<T> entriesOf(ByteReader& bytes, bool isLast) {
  std::vector<T> entries;
  int count = 0;
  if (!isLast && !bytes.atEnd()) bytes.get(count);
  while (isLast ? !bytes.atEnd() : countOf(entries) < count) GetNumbers{bytes}(entries.emplace_back());
  return entries;
}

}  // namespace detail

/// A list whose length the step finds out.
template <class Backend, class T>
class MemoryList : public MemoryArray<Backend> {
 public:
  List<Backend, T>& list() { return m_list; }
  const List<Backend, T>& list() const { return m_list; }

  void remember(const Backend& backend) override { m_before.copy(backend, m_list); }
  void rollBack(const Backend& backend) override { m_list.copy(backend, m_before); }
  void reset(const Backend& backend) override { m_list.upload(backend, {}); }
  void send(const Backend& backend) override { m_sent.send(backend, m_list); }
  void await() override { m_sent.wait(); }
  void keep() override { m_sent.keep(); }
  void put(ByteWriter& bytes, bool isLast) override {
    int count = 0;
    m_sent.forEachKept([&count](const T&) { ++count; });
    if (!isLast) bytes.put(count);
    m_sent.forEachKept([&bytes](T entry) { PutNumbers{bytes}(entry); });
  }
  void restore(const Backend& backend, ByteReader& bytes, bool isLast) override {
    m_list.upload(backend, detail::entriesOf<T>(bytes, isLast));
  }

 private:
  List<Backend, T> m_list, m_before;
  ListDoubleBuffer<Backend, T> m_sent;
};

/// Numbers of which the host knows how many there are; none before the first step.
template <class Backend, class T>
class MemoryItems : public MemoryArray<Backend> {
 public:
  template <class U>
  using Array = typename Backend::template Array<U>;

  T* data() { return m_items.data(); }
  const T* data() const { return m_items.data(); }
  std::size_t size() const { return m_items.size(); }
  /// Resizes the array. If the number differs, all items become 0.
  void fit(const Backend& backend, std::size_t size) {
    if (m_items.size() == size) return;
    m_items.resize(size);
    fill(backend, m_items.data(), static_cast<int>(size), T());
  }

  void remember(const Backend& backend) override { copyTo(backend, m_items, m_before); }
  void rollBack(const Backend& backend) override { copyTo(backend, m_before, m_items); }
  void reset(const Backend&) override { m_items = Array<T>(); }
  void send(const Backend& backend) override {
    m_here.wait();  // for what the copy is made over
    copyTo(backend, m_items, m_sent);
    m_here.start(backend, static_cast<const T*>(m_sent.data()), m_sent.size());
  }
  void await() override { m_here.wait(); }
  void keep() override { m_here.keep(); }
  void put(ByteWriter& bytes, bool isLast) override {
    const T* items = m_here.items();
    if (!isLast) bytes.put(static_cast<int>(m_here.count()));
    for (std::size_t index = 0; index < m_here.count(); ++index) bytes.put(items[index]);
  }
  void restore(const Backend& backend, ByteReader& bytes, bool isLast) override {
    const std::vector<T> items = detail::entriesOf<T>(bytes, isLast);
    backend.upload(items.data(), items.size(), m_items);
  }

 private:
  static void copyTo(const Backend& backend, const Array<T>& source, Array<T>& target) {
    target.resize(source.size());
    copyWithin(backend, static_cast<const T*>(source.data()), countOf(source), target.data());
  }

  Array<T> m_items, m_before, m_sent;
  DoubleBuffer<Backend, T> m_here;
};

/// A yes or no that the host keeps.
template <class Backend>
class MemoryFlag : public MemoryArray<Backend> {
 public:
  explicit MemoryFlag(bool initial)
      : m_initial(initial), m_is(initial), m_before(initial), m_sent(initial), m_kept(initial) {}
  bool get() const { return m_is; }
  void set(bool is) { m_is = is; }

  void remember(const Backend&) override { m_before = m_is; }
  void rollBack(const Backend&) override { m_is = m_before; }
  void reset(const Backend&) override { m_is = m_initial; }
  void send(const Backend&) override { m_sent = m_is; }
  void await() override {}
  void keep() override { m_kept = m_sent; }
  void put(ByteWriter& bytes, bool) override { PutNumbers{bytes}(m_kept); }
  void restore(const Backend&, ByteReader& bytes, bool) override {
    m_is = m_initial;
    if (!bytes.atEnd()) GetNumbers{bytes}(m_is);
  }

 private:
  bool m_initial, m_is, m_before, m_sent, m_kept;
};

/// Memory that a method keeps by itself, as bytes; a step that begins changes none of it.
template <class Backend>
class OwnMemory : public MemoryArray<Backend> {
 public:
  struct Parts {
    std::function<void()> reset;
    std::function<void()> send;          ///< starts its way to the host
    std::function<void()> keep;          ///< waits for it
    std::function<std::string()> bytes;  ///< what was kept, or empty
    std::function<void(const std::string& bytes)> restore;
  };
  explicit OwnMemory(Parts parts) : m_parts(std::move(parts)) {}

  void remember(const Backend&) override {}
  void rollBack(const Backend&) override {}
  void reset(const Backend&) override { m_parts.reset(); }
  void send(const Backend&) override { m_parts.send(); }
  void await() override {}
  void keep() override { m_parts.keep(); }
  void put(ByteWriter& bytes, bool) override { bytes.append(m_parts.bytes()); }
  void restore(const Backend&, ByteReader& bytes, bool) override { m_parts.restore(bytes.rest()); }

 private:
  Parts m_parts;
};

/// Memory with a number for its form before it, and back. @param bytes  out: without the number
inline std::string withForm(int form, const std::string& bytes) {
  ByteWriter writer;
  writer.put(form);
  writer.append(bytes);
  return writer.take();
}
inline int takeForm(std::string& bytes) {
  int form = 0;
  ByteReader reader(bytes);
  reader.get(form);
  bytes = reader.rest();
  return form;
}

/// All contact memory of a method.
template <class Backend>
class ContactMemory {
 public:
  explicit ContactMemory(Method<Backend>& method) {
    method.eachMemoryArray([this](MemoryArray<Backend>& array) { m_arrays.push_back(&array); });
  }
  void remember(const Backend& backend) {
    for (auto* array : m_arrays) array->remember(backend);
  }
  void rollBack(const Backend& backend) {
    for (auto* array : m_arrays) array->rollBack(backend);
  }
  void reset(const Backend& backend) {
    for (auto* array : m_arrays) array->reset(backend);
  }
  void send(const Backend& backend) {
    for (auto* array : m_arrays) array->send(backend);
  }
  void await() {
    for (auto* array : m_arrays) array->await();
  }
  /// Waits for what was sent; it is what is kept from then on.
  void keep() {
    await();
    for (auto* array : m_arrays) array->keep();
  }
  /// Last saved memory. Does not touch the device, which may be lost. The bytes are the same on any backend.
  std::string bytes() {
    ByteWriter writer;
    for (auto* array : m_arrays) array->put(writer, array == m_arrays.back());
    return writer.take();
  }
  void restore(const Backend& backend, const std::string& bytes) {
    ByteReader reader(bytes);
    for (auto* array : m_arrays) array->restore(backend, reader, array == m_arrays.back());
  }

 private:
  std::vector<MemoryArray<Backend>*> m_arrays;
};

}  // namespace touchstone
