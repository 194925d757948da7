#pragma once

#include <QUrl>
#include <QWidget>
#include <vector>

class QLineEdit;
class QListWidget;
class QSplitter;
class QTextBrowser;

namespace touchstone {

/// Data of a scene that the gallery shows without loading its meshes.
struct GalleryEntry {
  QString path, name, title, lesson;  ///< lesson: Markdown
  QString group;                      ///< heading of its folder; empty: none
};
/// Reads name, title and lesson of a scene file. Fields that cannot be read stay empty; the name is then that
/// of the file.
GalleryEntry readGalleryEntry(const QString& path);
/// Picture of a scene, `../thumbnails/<name>.png` from its folder, or for a folder deeper in the datasets
/// `../../thumbnails/<name>.png`; the file may not exist.
QString thumbnailOf(const GalleryEntry& entry);
/// True if every word of `search` occurs in name, title, lesson or group, in any case.
bool matches(const GalleryEntry& entry, const QString& search);
/// True if every word of `search` begins a word of the title or the name: such scenes are listed first.
bool matchesTitle(const GalleryEntry& entry, const QString& search);

/// The shipped scenes as a list with search, and the lesson of the selected scene.
class Gallery : public QWidget {
  Q_OBJECT
 public:
  explicit Gallery(QWidget* parent = nullptr);
  /// Adds the scenes of a folder below those that are there.
  /// @param group  heading above them, or empty
  void addFolder(const QString& folder, const QString& group = {});
  /// Marks the open scene.
  void setCurrent(const QString& path);
  /// Gives all of the space to the lesson of the open scene.
  void setReading(bool reading);
  QLineEdit* search() const { return m_search; }
  QListWidget* list() const { return m_list; }
  QTextBrowser* lesson() const { return m_lesson; }

 Q_SIGNALS:
  void openRequested(const QString& path);
  /// A link in a lesson that is not a page; the window performs it.
  void actionRequested(const QUrl& link);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void addEntry(const GalleryEntry& entry);
  void refill();
  void addHeading(const QString& group);
  void showLesson();
  void share();

  std::vector<GalleryEntry> m_entries;
  QString m_current;
  QLineEdit* m_search;
  QListWidget* m_list;
  QTextBrowser* m_lesson;
  QSplitter* m_splitter;
  bool m_reading = false;
};

}  // namespace touchstone
