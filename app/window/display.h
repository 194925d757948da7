#pragma once

namespace touchstone {

/// A connection to the display. Without a display Qt aborts, and VTK crashes when it creates its context. The
/// connection stays open until Qt has its own: an X server resets when its last client goes, which would end
/// a connection that is made at this moment.
class DisplayConnection {
 public:
  DisplayConnection();
  ~DisplayConnection() { close(); }
  DisplayConnection(const DisplayConnection&) = delete;
  DisplayConnection& operator=(const DisplayConnection&) = delete;

  /// True if there is a display that accepts this program.
  bool hasAnswer() const { return m_hasAnswer; }
  void close();

 private:
  bool m_hasAnswer = false;
  void* m_connection = nullptr;  ///< of the X server
  void (*m_disconnect)(void*) = nullptr;
};

/// Sets a function that Xlib calls when the display is gone, in the place of a message and exit(). Call it
/// after Qt has connected, since Qt sets one of its own.
void onLostDisplay(void (*tell)());

}  // namespace touchstone
