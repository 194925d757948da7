#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "core/math/vec.h"

namespace touchstone {

/// Writes state as bytes in the machine's order, number by number. Padding of structs would make equal states
/// differ.
class ByteWriter {
 public:
  template <class T>
  void put(const T& number) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "structs have padding: put their members");
    m_bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put(const Vec3& v) {
    for (int axis = 0; axis < 3; ++axis) put(v[axis]);
  }
  void put(const std::string& text) {
    put(text.size());
    m_bytes += text;
  }
  /// Bytes that have no count before them.
  void append(const std::string& bytes) { m_bytes += bytes; }
  std::string take() { return std::move(m_bytes); }

 private:
  std::string m_bytes;
};

/// Reads what ByteWriter wrote, in the same order. @throws std::runtime_error at the end of the bytes
class ByteReader {
 public:
  explicit ByteReader(const std::string& bytes) : m_bytes(bytes) {}
  bool atEnd() const { return m_at >= m_bytes.size(); }
  template <class T>
  void get(T& number) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "structs have padding: get their members");
    need(sizeof number);
    if constexpr (std::is_same_v<T, bool>) {
      const char byte = m_bytes[m_at];  // a bool is 0 or 1
      if (byte != 0 && byte != 1) throw std::runtime_error("damaged: yes or no is neither");
      number = byte != 0;
    } else {
      std::memcpy(&number, m_bytes.data() + m_at, sizeof number);
    }
    m_at += sizeof number;
  }
  void get(Vec3& v) {
    for (int axis = 0; axis < 3; ++axis) get(v[axis]);
  }
  void get(std::string& text) {
    const std::size_t size = count(1);
    text = m_bytes.substr(m_at, size);
    m_at += size;
  }
  /// All bytes that are left.
  std::string rest() {
    const std::string remainder = m_bytes.substr(m_at);
    m_at = m_bytes.size();
    return remainder;
  }
  /// Number of entries that follow, each of at least `bytesEach`: a damaged count must not take all memory.
  std::size_t count(std::size_t bytesEach) {
    std::size_t size = 0;
    get(size);
    if (size > (m_bytes.size() - m_at) / bytesEach) throw std::runtime_error("damaged: a count is too large");
    return size;
  }

 private:
  void need(std::size_t size) const {
    if (size > m_bytes.size() - m_at) throw std::runtime_error("damaged: it ends too early");
  }
  const std::string& m_bytes;
  std::size_t m_at = 0;
};

}  // namespace touchstone
