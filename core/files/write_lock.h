#pragma once

#include <stdexcept>
#include <string>

namespace touchstone {

/// Another program writes to the path. what() names the path and the program.
class InUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Tells other instances of this program that a file or folder is being written, during the lifetime of the
/// object; the lock of a killed program is released. Readers do not check it. On file systems without locks
/// it has no effect.
class WriteLock {
 public:
  /// @param path  an existing file or folder   @throws InUse
  explicit WriteLock(const std::string& path);
  ~WriteLock();
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  int m_file = -1;
};

}  // namespace touchstone
