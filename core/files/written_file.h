#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace touchstone {

/// The one way to put a file into its place: it is written beside it, whole and on the disk, before it gets
/// its name. So whatever happens, a name stands for the file before or for the whole new one. All functions
/// throw std::runtime_error naming the file that cannot be written.

/// The names under which a file may be written: "quantities.csv.part", "quantities.csv.part-2", …
/// @param number  from 1
std::string partName(const std::string& path, int number);
/// The first of them that no file has. The file is made, so that no other program takes it.
std::string newPart(const std::string& path);
/// Waits until the disk has the file.
void waitForDisk(const std::string& path);
/// Gives a whole file the name of one that may exist, which it replaces.
void putInPlace(const std::string& part, const std::string& path);
/// Gives a whole file a name that no file has. @return false if one has it
bool putInFreePlace(const std::string& part, const std::string& path);

/// @param write  gets the name under which the whole file is to be written, and says whether that was done
void writeBeside(const std::string& path, const std::function<bool(const std::string& part)>& write);
/// The same for who says what is wrong in own words. @return whether the file has its name
bool isWrittenBeside(const std::string& path, const std::function<bool(const std::string& part)>& write);
void writeWhole(const std::string& path, const std::function<void(std::ostream& out)>& write);

/// What all of these say. @throws std::runtime_error
[[noreturn]] void cannotWrite(const std::string& path);

/// A file that grows line by line beside its place, as "quantities.csv.part". A program that is killed within a
/// write may cut the last line there (Linux ends a write between two pages), so it gets its name only whole.
class GrowingFile {
 public:
  explicit GrowingFile(const std::string& path);
  /// Without finish() what there is gets the name too, where no file has it: it ends with a whole line.
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  /// @param lines  each with its end. A disk that takes only a part keeps none of it.
  void add(const std::string& lines);
  /// Nothing follows. A file that has the name is replaced.
  void finish();

 private:
  std::string m_path, m_part;  ///< its name at the end, and until then
  int m_file = -1;
  long m_size = 0;
};

}  // namespace touchstone
