#pragma once

#include <QObject>

namespace touchstone {

/// Work that takes long. It shows progress, can be cancelled, and ends once.
class LongJob : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  virtual void start() = 0;
  virtual void cancel() = 0;

 Q_SIGNALS:
  void progress(int done, int total);
  void finished(bool done, const QString& text);  ///< text: where the result is, or why there is none
};

}  // namespace touchstone
