#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/detect/candidates.h"
#include "core/detect/joined_pairs.inl"
#include "core/geometry/separation.h"
#include "core/math/count.h"
#include "core/parallel/copy.h"
#include "core/parallel/device/double_buffer.h"
#include "core/record/bytes.h"

namespace touchstone {

/// Memory of a pair from one step of narrow phase to the next.
struct PairForm {
  PiecePair pair{-1, -1};
  int isFlush = 0;            ///< see SetBuilder::isFlush()
  SeparatingFeature feature;  ///< separates the pieces best; it saves time and changes no result
};

/// The forms of the pairs of the last step that was taken, on a backend.
template <class Backend>
class PairForms {
 public:
  explicit PairForms(const Backend& backend) : m_backend(backend) { clear(); }

  /// Forms of the last step, for loop bodies. The entries and their number keep their places until commit()
  /// needs more.
  SortedEntries<PairForm> before() const { return {m_before.data(), {countOf(m_before), m_count.data()}}; }
  /// Memory to which a step writes the forms of its pairs. @param capacity  of the list of pairs
  PairForm* found(int capacity) {
    if (capacity > countOf(m_found)) m_found.resize(capacity);
    return m_found.data();
  }
  /// Makes the forms that were found those of the last step. @param pairs  their number
  void commit(int pairs) {
    if (pairs > countOf(m_before)) m_before.resize(pairs);
    copyWithin(m_backend, static_cast<const PairForm*>(m_found.data()), pairs, m_before.data());
    setCount(pairs);
  }

  void clear() {
    if (m_before.size() == 0) m_before.resize(1);
    setCount(0);
  }
  /// Begins to copy all to the host.
  void send() {
    m_sent.wait();  // for what the copy is made over
    m_copy.resize(m_pairs);
    copyWithin(m_backend, static_cast<const PairForm*>(m_before.data()), m_pairs, m_copy.data());
    m_sent.start(m_backend, static_cast<const PairForm*>(m_copy.data()), m_copy.size());
  }
  /// Waits for it.
  void wait() { m_sent.wait(); }
  /// Keeps what has been waited for.
  void keep() { m_sent.keep(); }
  /// The flush pairs that were kept: piece A and piece B of each.
  std::string kept() {
    ByteWriter writer;
    const PairForm* forms = m_sent.items();
    for (std::size_t index = 0; index < m_sent.count(); ++index)
      if (forms[index].isFlush)
        for (const int piece : {forms[index].pair.pieceA, forms[index].pair.pieceB}) writer.put(piece);
    return writer.take();
  }
  /// @param bytes  of kept()
  void restore(const std::string& bytes) {
    std::vector<PairForm> forms;
    for (ByteReader reader(bytes); !reader.atEnd();) {
      PairForm& form = forms.emplace_back();
      reader.get(form.pair.pieceA);
      reader.get(form.pair.pieceB);
      form.isFlush = 1;
    }
    clear();
    if (forms.empty()) return;
    m_backend.upload(forms.data(), forms.size(), m_before);
    setCount(countOf(forms));
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void setCount(int pairs) {
    m_pairs = pairs;
    m_count.resize(1);
    fill(m_backend, m_count.data(), 1, pairs);
  }

  Backend m_backend;
  Array<PairForm> m_before, m_found, m_copy;
  Array<int> m_count;  ///< [1] of m_before
  int m_pairs = 0;     ///< the same number
  DoubleBuffer<Backend, PairForm> m_sent;
};

}  // namespace touchstone
