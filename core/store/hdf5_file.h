#pragma once

#include <hdf5.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "core/files/scene_error.h"
#include "core/math/count.h"

namespace touchstone {

/// An identifier of HDF5 with the function that closes it.
class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : m_id(id), m_close(close) {}
  ~Hdf5Handle() {
    if (m_id >= 0) m_close(m_id);
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  hid_t id() const { return m_id; }
  bool isValid() const { return m_id >= 0; }

 private:
  hid_t m_id;
  herr_t (*m_close)(hid_t);
};

/// Numbers of an HDF5 file from another author. The format can name other files: by external storage, by
/// links and by virtual data sets. It can load code (filters), and a few bytes of it can unfold to any size.
/// All of this is refused before the first number is read.
class Hdf5File {
 public:
  /// @param remedy  of every refusal, for the time that this object lives
  /// @throws SceneError
  Hdf5File(const std::string& path, const char* remedy)
      : m_path(path), m_remedy(remedy), m_file(opened(path), H5Fclose) {
    if (!m_file.isValid()) throw SceneError(path, "", "is no HDF5 file that can be read", remedy);
    std::error_code error;
    m_left =
        kAlways + kUnfolding * std::min<std::size_t>(kLargestFile, std::filesystem::file_size(path, error));
  }

  /// True if there is an object of this name. @throws SceneError if a link leads there
  bool has(const std::string& name) const {
    for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
      const std::string part = name.substr(0, end);
      if (H5Lexists(m_file.id(), part.c_str(), H5P_DEFAULT) <= 0) return false;
      H5L_info_t link;
      if (H5Lget_info(m_file.id(), part.c_str(), &link, H5P_DEFAULT) < 0) fail(part, "cannot be read");
      if (link.type != H5L_TYPE_HARD)
        fail(part, "is a link to another place or another file, which is not followed",
             "store the numbers themselves in this file");
      if (end == std::string::npos) return true;
    }
  }
  /// @throws SceneError
  std::vector<double> reals(const std::string& name) const { return read<double>(name, H5T_NATIVE_DOUBLE); }
  std::vector<int> integers(const std::string& name) const { return read<int>(name, H5T_NATIVE_INT); }
  int integer(const std::string& name) const {
    const std::vector<int> numbers = integers(name);
    if (numbers.size() != 1) fail(name, "is no single number");
    return numbers.front();
  }
  [[noreturn]] void fail(const std::string& field, const std::string& problem) const {
    fail(field, problem, m_remedy);
  }

 private:
  using Sizes = std::vector<hsize_t>;

  /// Bytes that all data sets of a file may take together: kAlways, and kUnfolding for each byte of the file.
  /// Larger values let a small file fill the memory; smaller ones refuse problems that are stored compressed.
  static constexpr std::size_t kAlways = std::size_t(1) << 20, kUnfolding = 64;
  static constexpr std::size_t kLargestFile = std::size_t(1) << 30;
  /// Larger numbers let a small file block the program; smaller ones refuse files with small chunks.
  static constexpr std::size_t kMostChunks = 100'000;
  /// Numbers of HDF5 have at most 16 bytes. A larger value lets one number fill the memory.
  static constexpr std::size_t kLargestNumber = 16;

  static hid_t opened(const std::string& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);  // a filter of the file's choice would be code from the search path of plugins
    return H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  }

  [[noreturn]] void fail(const std::string& field, const std::string& problem,
                         const std::string& remedy) const {
    throw SceneError(m_path, field, problem, remedy);
  }

  template <class T>
  std::vector<T> read(const std::string& name, hid_t type) const {
    if (!has(name)) fail(name, "is missing");
    const Hdf5Handle set(H5Dopen2(m_file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set.isValid()) fail(name, "is no data set");
    const std::size_t stored = numberSize(name, set);
    const Sizes sizes = sizesOf(name, set);
    const std::size_t count = productOf(name, sizes, std::max(stored, sizeof(T)));
    requireStoredHere(name, set, sizes, stored);
    m_left -= count * std::max(stored, sizeof(T));
    std::vector<T> numbers(count);
    if (count > 0 && H5Dread(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0)
      fail(name, "cannot be read");
    return numbers;
  }

  /// Bytes of a number of a data set as it is stored.
  std::size_t numberSize(const std::string& name, const Hdf5Handle& set) const {
    const Hdf5Handle type(H5Dget_type(set.id()), H5Tclose);
    const H5T_class_t kind = H5Tget_class(type.id());
    const std::size_t size = H5Tget_size(type.id());
    if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || size < 1 || size > kLargestNumber)
      fail(name, "holds no plain numbers");
    return size;
  }

  Sizes sizesOf(const std::string& name, const Hdf5Handle& set) const {
    const Hdf5Handle space(H5Dget_space(set.id()), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.id());
    if (rank < 0 || rank > H5S_MAX_RANK) fail(name, "has no sizes");
    Sizes sizes(rank);
    if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) return {0};
    if (rank > 0 && H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr) < 0)
      fail(name, "has no sizes");
    return sizes;
  }

  /// The number of entries, which must fit into the bytes that are left.
  std::size_t productOf(const std::string& name, const Sizes& sizes, std::size_t size) const {
    if (std::find(sizes.begin(), sizes.end(), hsize_t(0)) != sizes.end()) return 0;
    const std::size_t maximum = m_left / size;
    std::size_t product = 1;
    for (const hsize_t along : sizes)
      if (product <= maximum) product = along > maximum / product ? maximum + 1 : product * along;
    if (product > maximum)
      fail(name, "unfolds to more than " + std::to_string(kUnfolding) + " times the bytes of the file",
           "store it without compression");
    return product;
  }

  /// Refuses what HDF5 would read elsewhere, and packed data that unfold to more than the data set says.
  void requireStoredHere(const std::string& name, const Hdf5Handle& set, const Sizes& sizes,
                         std::size_t size) const {
    const char* const plain = "store it contiguous, or in chunks that are compressed with deflate once";
    const Hdf5Handle creation(H5Dget_create_plist(set.id()), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(creation.id());
    if (layout == H5D_VIRTUAL) fail(name, "is a virtual data set, whose numbers lie elsewhere", plain);
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
      fail(name, "has a layout that is not read", plain);
    if (H5Pget_external_count(creation.id()) != 0)
      fail(name, "has its numbers in another file, which is not opened", plain);
    const int filters = H5Pget_nfilters(creation.id());
    int deflate = -1;
    std::size_t trailer = 0;  // that is no part of the deflated stream
    for (int filter = 0; filter < filters; ++filter) {
      unsigned flags = 0, settings = 0;
      std::size_t count = 0;
      const H5Z_filter_t id = H5Pget_filter2(creation.id(), static_cast<unsigned>(filter), &flags, &count,
                                             nullptr, 0, nullptr, &settings);
      const bool isKnown =
          id == H5Z_FILTER_DEFLATE || id == H5Z_FILTER_SHUFFLE || id == H5Z_FILTER_FLETCHER32;
      if (!isKnown || (id == H5Z_FILTER_DEFLATE && deflate >= 0) ||
          (id == H5Z_FILTER_SHUFFLE && deflate >= 0))
        fail(name, "is packed by filters that are not read", plain);
      if (id == H5Z_FILTER_DEFLATE) deflate = filter;
      if (id == H5Z_FILTER_FLETCHER32 && deflate >= 0) trailer += 4;
    }
    if (layout != H5D_CHUNKED) return;
    Sizes chunk(sizes.size());
    if (H5Pget_chunk(creation.id(), countOf(chunk), chunk.data()) < 0)
      fail(name, "has no sizes of its chunks");
    const std::size_t bytes = productOf(name, chunk, size) * size;
    std::size_t chunks = bytes > 0 ? 1 : 0;
    for (std::size_t axis = 0; chunks > 0 && axis < sizes.size(); ++axis) {
      const hsize_t along = sizes[axis] / chunk[axis] + (sizes[axis] % chunk[axis] != 0);
      if (along > kMostChunks / chunks) fail(name, "has more than 100000 chunks", plain);
      chunks *= along;
    }
    Sizes place(sizes.size(), 0);
    for (std::size_t index = 0; index < chunks; ++index) {
      requireHonest(name, set, place, bytes, deflate, trailer);
      for (std::size_t axis = sizes.size(); axis-- > 0;) {
        place[axis] += chunk[axis];
        if (place[axis] < sizes[axis]) break;
        place[axis] = 0;
      }
    }
  }

  /// Refuses a chunk that unfolds to more than its size.
  /// @param deflate  index of that filter, −1: there is none   @param trailer  bytes behind its stream
  void requireHonest(const std::string& name, const Hdf5Handle& set, const Sizes& place, std::size_t bytes,
                     int deflate, std::size_t trailer) const {
    // Deflate and checksums add less than this to data that cannot be packed.
    const std::size_t maximum = bytes + bytes / 500 + 128;
    hsize_t stored = 0;
    if (H5Dget_chunk_storage_size(set.id(), place.data(), &stored) < 0 || stored > maximum)
      fail(name, "has a chunk that cannot be read");
    if (deflate < 0 || stored <= trailer) return;
    std::vector<unsigned char> packed(stored);
    std::uint32_t skipped = 0;
    if (H5Dread_chunk(set.id(), H5P_DEFAULT, place.data(), &skipped, packed.data()) < 0)
      fail(name, "has a chunk that cannot be read");
    if (skipped & (1u << deflate)) return;
    if (unfolded(packed, packed.size() - trailer, maximum) > maximum)
      fail(name, "has a chunk that unfolds to more than its size", "export the problem again");
  }

  /// Bytes of a deflated stream; counting ends beyond `maximum`.
  static std::size_t unfolded(std::vector<unsigned char>& packed, std::size_t size, std::size_t maximum) {
    z_stream stream = {};
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
    std::vector<unsigned char> part(std::size_t(1) << 16);
    stream.next_in = packed.data();
    stream.avail_in = static_cast<uInt>(size);
    std::size_t count = 0;
    for (int code = Z_OK; code == Z_OK && count <= maximum;) {
      stream.next_out = part.data();
      stream.avail_out = static_cast<uInt>(part.size());
      code = inflate(&stream, Z_NO_FLUSH);
      count += part.size() - stream.avail_out;
    }
    inflateEnd(&stream);
    return count;
  }

  std::string m_path;
  const char* m_remedy;
  Hdf5Handle m_file;
  mutable std::size_t m_left = 0;  ///< bytes that data sets may still take
};

}  // namespace touchstone
