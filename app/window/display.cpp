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

// Asks through the library that Qt uses; if that is missing, Qt reports it.
DisplayConnection::DisplayConnection() {
  if (!variable("DISPLAY").empty()) {
    void* library = dlopen("libxcb.so.1", RTLD_NOW);
    const auto connect =
        reinterpret_cast<void* (*)(const char*, int*)>(library ? dlsym(library, "xcb_connect") : nullptr);
    const auto hasError =
        reinterpret_cast<int (*)(void*)>(library ? dlsym(library, "xcb_connection_has_error") : nullptr);
    m_disconnect = reinterpret_cast<void (*)(void*)>(library ? dlsym(library, "xcb_disconnect") : nullptr);
    if (connect && hasError && m_disconnect) {
      m_connection = connect(nullptr, nullptr);
      m_hasAnswer = hasError(m_connection) == 0;
    } else {
      m_hasAnswer = true;
    }
  }
  m_hasAnswer = m_hasAnswer || answersAsWayland();
}

void DisplayConnection::close() {
  if (m_connection) m_disconnect(m_connection);
  m_connection = nullptr;
}

namespace {

void (*g_tellLost)() = nullptr;

int handleLost(void*) {
  g_tellLost();
  return 0;
}

}  // namespace

void onLostDisplay(void (*tell)()) {
  g_tellLost = tell;
  void* library = dlopen("libX11.so.6", RTLD_NOW);
  using Handler = int (*)(void* display);
  const auto set =
      reinterpret_cast<Handler (*)(Handler)>(library ? dlsym(library, "XSetIOErrorHandler") : nullptr);
  if (set) set(handleLost);
}

#else

DisplayConnection::DisplayConnection() : m_hasAnswer(true) {}

void onLostDisplay(void (*)()) {}

void DisplayConnection::close() {}

#endif

}  // namespace touchstone
