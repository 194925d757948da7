#pragma once

#include <QMetaObject>

#include "app/session/session.h"
#include "app/session/worker.h"

namespace touchstone {

/// Runs a command on the worker's thread, after all earlier ones.
template <class Command>
void Session::send(const Command& command) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, command] { command(*worker); }, Qt::QueuedConnection);
}

}  // namespace touchstone
