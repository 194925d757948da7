#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace touchstone {

/// Prints progress in per cent on a terminal; nothing if stderr is a file or a pipe.
void printProgress(double share);
/// A value of /proc/self/status [bytes], such as VmRSS, or −1.
double processMemory(const std::string& key);
/// Folder of the running program.
std::filesystem::path programFolder();
/// Folders of the shipped scenes: those of their own, and those of the conformance card.
std::vector<std::string> sceneFolders();
/// Path of a scene, given as a path or as the name of a shipped scene.
/// @throws SceneError if neither exists
std::string resolveScene(const std::string& nameOrPath);
/// Folder of the shipped datasets: TOUCHSTONE_DATASETS, else next to the program, else in the source tree.
std::string datasetsFolder();

}  // namespace touchstone
