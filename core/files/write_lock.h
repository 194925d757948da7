#pragma once

#include <stdexcept>
#include <string>

namespace touchstone {

/// Another program writes there. what() names the path and the program.
class InUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Says to other programs of this kind that a file or folder is being written, for as long as it lives; a
/// program that is killed says so no more. Readers do not ask. Where the file system knows no locks, nothing
/// is said.
class WriteLock {
 public:
  /// @param path  of a file or folder that exists   @throws InUse
  explicit WriteLock(const std::string& path);
  ~WriteLock();
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  int m_file = -1;
};

}  // namespace touchstone
