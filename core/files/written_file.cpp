#include "core/files/written_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace touchstone {

namespace fs = std::filesystem;

std::string partName(const std::string& path, int number) {
  return path + ".part" + (number == 1 ? "" : "-" + std::to_string(number));
}

namespace {

/// Creates a new file. @return −1 if the name exists
int madeNew(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0 && errno != EEXIST) cannotWrite(path);
  return file;
}

/// Creates a new file next to `path`. @param part  out: its name
int madePart(const std::string& path, std::string& part) {
  int file = -1;
  for (int number = 1; file < 0; ++number) {
    part = partName(path, number);
    file = madeNew(part);
  }
  return file;
}

}  // namespace

void cannotWrite(const std::string& path) {
  throw std::runtime_error(path + ": cannot be written; check the free space and the rights of the folder");
}

std::string newPart(const std::string& path) {
  std::string part;
  close(madePart(path, part));
  return part;
}

void waitForDisk(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done =
      file >= 0 && (fsync(file) == 0 || errno == EINVAL);  // files that are not on a disk need no fsync
  if (file >= 0) close(file);
  if (!done) cannotWrite(path);
}

void putInPlace(const std::string& part, const std::string& path) {
  if (std::rename(part.c_str(), path.c_str()) != 0) cannotWrite(path);
}

// A link is created only if the name is free. File systems without links get a weaker guarantee.
bool putInFreePlace(const std::string& part, const std::string& path) {
  if (link(part.c_str(), path.c_str()) == 0) {
    unlink(part.c_str());
    return true;
  }
  std::error_code ignored;
  if (errno == EEXIST || fs::exists(path, ignored)) return false;
  putInPlace(part, path);
  return true;
}

void writeBeside(const std::string& path, const std::function<bool(const std::string& part)>& write) {
  const std::string part = newPart(path);
  try {
    if (!write(part)) cannotWrite(path);
    waitForDisk(part);
    putInPlace(part, path);
  } catch (...) {
    std::remove(part.c_str());
    throw;
  }
}

bool isWrittenBeside(const std::string& path, const std::function<bool(const std::string& part)>& write) {
  try {
    writeBeside(path, write);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

void writeWhole(const std::string& path, const std::function<void(std::ostream& out)>& write) {
  writeBeside(path, [&](const std::string& part) {
    std::ofstream out(part, std::ios::binary);
    write(out);
    out.close();
    return static_cast<bool>(out);
  });
}

namespace {

[[noreturn]] void refuseTaken(const std::string& path) {
  throw std::invalid_argument(path + ": exists and stays; choose another name, or move it away");
}

bool isSame(const std::string& path, const std::string& other) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(path, ignored))) return false;
  if (fs::file_size(path, ignored) != fs::file_size(other, ignored)) return false;
  std::ifstream a(path, std::ios::binary), b(other, std::ios::binary);
  return a && b &&
         std::equal(std::istreambuf_iterator<char>(a), std::istreambuf_iterator<char>(),
                    std::istreambuf_iterator<char>(b));
}

}  // namespace

void requireFree(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(path, ignored))) refuseTaken(path);
}

void writeNew(const std::string& path, const std::function<void(std::ostream& out)>& write,
              const std::function<bool(const std::string& path)>& mayReplace) {
  if (mayReplace && mayReplace(path)) return writeWhole(path, write);
  const std::string part = newPart(path);
  try {
    std::ofstream out(part, std::ios::binary);
    write(out);
    out.close();
    if (!out) cannotWrite(path);
    waitForDisk(part);
    if (putInFreePlace(part, path)) return;
    if (!isSame(path, part)) refuseTaken(path);
    std::remove(part.c_str());
  } catch (...) {
    std::remove(part.c_str());
    throw;
  }
}

GrowingFile::GrowingFile(const std::string& path) : m_path(path), m_file(madePart(path, m_part)) {}

GrowingFile::~GrowingFile() {
  if (m_file < 0) return;
  close(m_file);
  try {
    putInFreePlace(m_part, m_path);
  } catch (const std::runtime_error&) {  // the part stays; a destructor can do no more
  }
}

void GrowingFile::add(const std::string& lines) {
  for (std::size_t done = 0; done < lines.size();) {
    const ssize_t written = ::write(m_file, lines.data() + done, lines.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (ftruncate(m_file, m_size) != 0) std::perror(m_part.c_str());
      cannotWrite(m_path);
    }
    done += written;
  }
  m_size += static_cast<long>(lines.size());
}

void GrowingFile::finish() {
  if (fsync(m_file) != 0 && errno != EINVAL) cannotWrite(m_path);
  close(m_file);
  m_file = -1;
  putInPlace(m_part, m_path);
}

}  // namespace touchstone
