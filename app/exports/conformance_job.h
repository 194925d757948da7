#pragma once

#include <QThread>
#include <QWidget>
#include <atomic>
#include <memory>

#include "app/work/long_job.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace touchstone {

/// Runs the conformance card on a separate thread: all phenomena in the default columns, into a folder.
/// finished() has the path of card.html.
class ConformanceJob : public LongJob {
  Q_OBJECT
 public:
  /// @param names  of phenomena; empty: all
  ConformanceJob(const QString& folder, const QStringList& names, QObject* parent = nullptr);
  ~ConformanceJob() override;
  void start() override;
  void cancel() override { m_cancelled = true; }

 private:
  void work();
  QString m_folder;
  QStringList m_names;
  std::atomic<bool> m_cancelled{false};
  std::unique_ptr<QThread> m_thread;
};

/// The page of the conformance card: its rows, of which some can be chosen, and what a run found in them.
class ConformancePanel : public QWidget {
  Q_OBJECT
 public:
  explicit ConformancePanel(QWidget* parent = nullptr);
  QSize minimumSizeHint() const override { return {200, 120}; }
  /// Shows the card of a folder; nothing where there is none.
  void showCard(const QString& folder);
  void setRunning(bool running);
  /// Names of the phenomena with a check mark.
  QStringList chosen() const;
  QTableWidget* table() const { return m_table; }
  QPushButton* runButton() const { return m_run; }
  /// Sets the folder of the results; by default that of the data of the user.
  void setFolder(const QString& folder) { m_folder = folder; }

 Q_SIGNALS:
  void runRequested(const QString& folder, const QStringList& phenomena);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill();
  void check(bool isChosen);
  void countChosen();

  QTableWidget* m_table;
  QPushButton *m_run, *m_page, *m_files;
  QLabel* m_count;
  QString m_folder;
  bool m_isRunning = false;
};

}  // namespace touchstone
