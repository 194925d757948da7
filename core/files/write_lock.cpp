#include "core/files/write_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

namespace touchstone {

namespace {

/// The process that holds the lock of an open file, as reported by Linux: "process 4711 (touchstone-cli)".
std::string holderOf(int file) {
  struct stat status = {};
  if (fstat(file, &status) != 0) return "another program";
  const std::string inode = ":" + std::to_string(status.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, strictness, access, process, place;
    words >> number >> kind >> strictness >> access >> process >> place;
    const bool isIt = kind == "FLOCK" && place.size() > inode.size() &&
                      place.compare(place.size() - inode.size(), inode.size(), inode) == 0;
    if (!isIt) continue;
    std::string name;
    std::ifstream command("/proc/" + process + "/comm");
    std::getline(command, name);
    return "process " + process + (name.empty() ? "" : " (" + name + ")");
  }
  return "another program";
}

}  // namespace

WriteLock::WriteLock(const std::string& path) : m_file(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (m_file < 0 || flock(m_file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  const std::string holder = holderOf(m_file);
  close(m_file);
  throw InUse(path + ": is being written by " + holder + "; wait for its end, or choose another name");
}

WriteLock::~WriteLock() {
  if (m_file >= 0) close(m_file);
}

}  // namespace touchstone
