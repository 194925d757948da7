#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace touchstone {

/// Writes files atomically. A file is written next to its final path and flushed to the disk before it gets
/// its final name, so that the name always refers to the complete old or the complete new file. All functions
/// throw std::runtime_error with the name of the file that cannot be written.

/// Names under which a file may be written: "quantities.csv.part", "quantities.csv.part-2", …
/// @param number  from 1
std::string partName(const std::string& path, int number);
/// The first of these names that is free. Creates the file, so that no other program takes the name.
std::string newPart(const std::string& path);
/// Waits until the file is on the disk.
void waitForDisk(const std::string& path);
/// Renames a complete file; replaces an existing file of that name.
void putInPlace(const std::string& part, const std::string& path);
/// Renames a complete file to a name that is free. @return false if the name is taken
bool putInFreePlace(const std::string& part, const std::string& path);

/// @param write  gets the name under which to write the file, and returns whether it succeeded
void writeBeside(const std::string& path, const std::function<bool(const std::string& part)>& write);
/// The same for callers that report errors themselves. @return true if the file has its name
bool isWrittenBeside(const std::string& path, const std::function<bool(const std::string& part)>& write);
void writeWhole(const std::string& path, const std::function<void(std::ostream& out)>& write);

/// @throws std::invalid_argument if there is a file, folder or link of that name
void requireFree(const std::string& path);
/// Writes a file that replaces none. A file of that name stays, also if another program creates it meanwhile.
/// A file with the very bytes counts as written.
/// @param mayReplace  true for a file that may be replaced all the same; null: none
/// @throws std::invalid_argument if the name is taken
void writeNew(const std::string& path, const std::function<void(std::ostream& out)>& write,
              const std::function<bool(const std::string& path)>& mayReplace = nullptr);

/// Throws the common error of these functions. @throws std::runtime_error
[[noreturn]] void cannotWrite(const std::string& path);

/// A file that grows line by line next to its final path, as "quantities.csv.part". A program that is killed
/// during a write may cut the last line (Linux ends a write between two pages), so that the file gets its
/// final name only when it is complete.
class GrowingFile {
 public:
  explicit GrowingFile(const std::string& path);
  /// Without finish() the file gets its final name too, if that name is free: it ends with a complete line.
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  /// @param lines  each with its line end. If a disk accepts only a part, no part is kept.
  void add(const std::string& lines);
  /// Completes the file. Replaces an existing file of that name.
  void finish();

 private:
  std::string m_path, m_part;  ///< final name, and name until then
  int m_file = -1;
  long m_size = 0;
};

}  // namespace touchstone
