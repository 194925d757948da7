#include "app/window/display.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#endif

namespace touchstone {

#if defined(__linux__)

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Asks through the library that Qt uses; if that is missing, Qt reports it.
bool answersAsX11() {
  if (variable("DISPLAY").empty()) return false;
  void* library = dlopen("libxcb.so.1", RTLD_NOW);
  if (!library) return true;
  const auto connect = reinterpret_cast<void* (*)(const char*, int*)>(dlsym(library, "xcb_connect"));
  const auto hasError = reinterpret_cast<int (*)(void*)>(dlsym(library, "xcb_connection_has_error"));
  const auto disconnect = reinterpret_cast<void (*)(void*)>(dlsym(library, "xcb_disconnect"));
  if (!connect || !hasError || !disconnect) return true;
  void* connection = connect(nullptr, nullptr);
  const bool answers = hasError(connection) == 0;
  disconnect(connection);
  return answers;
}

bool answersAsWayland() {
  std::string path = variable("WAYLAND_DISPLAY");
  if (path.empty()) return false;
  if (path.front() != '/') path = variable("XDG_RUNTIME_DIR") + "/" + path;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return false;
  const bool answers = ::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(file);
  return answers;
}

}  // namespace

bool hasDisplay() { return answersAsX11() || answersAsWayland(); }

#else

bool hasDisplay() { return true; }

#endif

}  // namespace touchstone
