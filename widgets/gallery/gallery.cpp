#include "widgets/gallery/gallery.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>

#include "core/robot/scene_readers.h"
#include "core/scene/scene.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

// [bytes] Larger files are listed by name only. A larger value makes the gallery slow to open; a smaller one
// hides the lessons of large scenes.
constexpr qint64 kLargestSceneFile = 16 << 20;

}  // namespace

GalleryEntry readGalleryEntry(const QString& path) {
  const QFileInfo info(path);
  GalleryEntry entry;
  entry.path = path;
  const bool ownFolder = info.completeBaseName() == QLatin1String("scene");
  entry.name = ownFolder ? info.dir().dirName() : info.completeBaseName();
  QFile file(path);
  if (info.size() > kLargestSceneFile || !file.open(QIODevice::ReadOnly)) return entry;
  const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
  entry.title = root.value(QLatin1String("title")).toString();
  const QJsonValue lesson = root.value(QLatin1String("lesson"));
  if (lesson.isString()) entry.lesson = lesson.toString();
  for (const QJsonValue paragraph : lesson.toArray())
    entry.lesson += paragraph.toString() + QStringLiteral("\n\n");
  return entry;
}

QString thumbnailOf(const GalleryEntry& entry) {
  const QDir folder = QFileInfo(entry.path).dir();
  const QString beside = folder.filePath(QStringLiteral("../thumbnails/%1.png").arg(entry.name));
  const QString above = folder.filePath(QStringLiteral("../../thumbnails/%1.png").arg(entry.name));
  return !QFileInfo::exists(beside) && QFileInfo::exists(above) ? above : beside;
}

bool matches(const GalleryEntry& entry, const QString& search) {
  const QString text = entry.name + QLatin1Char(' ') + entry.title + QLatin1Char(' ') + entry.lesson +
                       QLatin1Char(' ') + entry.group;
  for (const QString& word : search.split(QLatin1Char(' '), Qt::SkipEmptyParts))
    if (!text.contains(word, Qt::CaseInsensitive)) return false;
  return true;
}

bool matchesTitle(const GalleryEntry& entry, const QString& search) {
  static const QRegularExpression between(QStringLiteral("[^\\w]+"),
                                          QRegularExpression::UseUnicodePropertiesOption);
  const QStringList words = (entry.name + QLatin1Char(' ') + entry.title).split(between, Qt::SkipEmptyParts);
  for (const QString& wanted : search.split(between, Qt::SkipEmptyParts))
    if (std::none_of(words.begin(), words.end(),
                     [&wanted](const QString& word) { return word.startsWith(wanted, Qt::CaseInsensitive); }))
      return false;
  return true;
}

Gallery::Gallery(QWidget* parent)
    : QWidget(parent), m_search(new QLineEdit), m_list(new QListWidget), m_lesson(new QTextBrowser) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 6);
  m_search->setPlaceholderText(tr("Search scenes"));
  m_search->setClearButtonEnabled(true);
  m_search->setAccessibleName(tr("Search scenes"));
  m_list->setWordWrap(true);
  m_list->setIconSize(QSize(64, 48));
  m_list->setAlternatingRowColors(true);
  m_list->setStyleSheet(QStringLiteral("QListWidget::item { padding: 3px; }"));
  m_list->setAccessibleName(tr("Scenes"));
  m_lesson->setOpenLinks(false);
  m_lesson->setAccessibleName(tr("Lesson"));
  connect(m_lesson, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    if (link.scheme().startsWith(QLatin1String("http"))) {
      QDesktopServices::openUrl(link);
    } else {
      Q_EMIT actionRequested(link);
    }
  });
  auto* splitter = m_splitter = new QSplitter(Qt::Vertical);
  splitter->addWidget(m_list);
  splitter->addWidget(m_lesson);
  splitter->setSizes({150, 260});
  splitter->setChildrenCollapsible(false);
  m_list->setMinimumHeight(60);
  m_lesson->setMinimumHeight(40);
  column->addWidget(m_search);
  column->addWidget(splitter, 1);
  m_search->installEventFilter(this);
  connect(m_search, &QLineEdit::textChanged, this, &Gallery::refill);
  connect(m_list, &QListWidget::currentRowChanged, this, &Gallery::showLesson);
  connect(m_list, &QListWidget::itemActivated, this,
          [this](QListWidgetItem* item) { Q_EMIT openRequested(item->data(Qt::UserRole).toString()); });
}

// A low dock shows list and lesson side by side, a high one shows them one above the other.
void Gallery::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const Qt::Orientation wanted = width() > 1.4 * height() ? Qt::Horizontal : Qt::Vertical;
  if (m_splitter->orientation() == wanted) return;
  m_splitter->setOrientation(wanted);
  share();
}

void Gallery::setReading(bool reading) {
  m_reading = reading;
  share();
}

void Gallery::share() {
  const bool onlyLesson = m_reading && !m_current.isEmpty();
  m_search->setVisible(!onlyLesson);
  m_list->setVisible(!onlyLesson);
  const int whole = m_splitter->orientation() == Qt::Horizontal ? width() : height();
  m_splitter->setSizes({whole * 4 / 10, whole * 6 / 10});
}

void Gallery::addFolder(const QString& folder, const QString& group) {
  for (const std::string& path : findScenes(folder.toStdString())) {
    m_entries.push_back(readGalleryEntry(QString::fromStdString(path)));
    m_entries.back().group = group;
  }
  refill();
}

void Gallery::setCurrent(const QString& path) {
  m_current = QFileInfo(path).canonicalFilePath();
  refill();
  if (m_reading) share();
}

void Gallery::refill() {
  const QSignalBlocker quiet(m_list);
  m_list->clear();
  QString group;
  for (const GalleryEntry& entry : m_entries) {
    if (!matchesTitle(entry, m_search->text())) continue;
    if (entry.group != group) addHeading(group = entry.group);
    addEntry(entry);
  }
  bool isFirst = true;
  for (const GalleryEntry& entry : m_entries) {
    if (matchesTitle(entry, m_search->text()) || !matches(entry, m_search->text())) continue;
    if (isFirst && m_list->count() > 0) addHeading(tr("Found in lessons"));
    isFirst = false;
    addEntry(entry);
  }
  showLesson();
}

void Gallery::addEntry(const GalleryEntry& entry) {
  const QString text = entry.title.isEmpty() ? entry.name : entry.title;
  auto* item = new QListWidgetItem(text, m_list);
  item->setData(Qt::UserRole, entry.path);
  const QIcon picture(thumbnailOf(entry));
  if (!picture.isNull()) item->setIcon(picture);
  item->setToolTip(plainToolTip(tr("%1\nDouble-click or Enter opens it").arg(entry.path)));
  if (QFileInfo(entry.path).canonicalFilePath() != m_current) return;
  QFont font = item->font();
  font.setBold(true);
  item->setFont(font);
  m_list->setCurrentItem(item);
}

// Enter in the search opens the first scene, the down key goes to the list.
bool Gallery::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_search || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key != Qt::Key_Return && key != Qt::Key_Enter && key != Qt::Key_Down)
    return QWidget::eventFilter(watched, event);
  for (int row = 0; row < m_list->count(); ++row) {
    QListWidgetItem* item = m_list->item(row);
    if (!(item->flags() & Qt::ItemIsEnabled)) continue;
    m_list->setCurrentItem(item);
    if (key == Qt::Key_Down)
      m_list->setFocus(Qt::TabFocusReason);
    else {
      m_search->clearFocus();  // Space runs the scene
      Q_EMIT openRequested(item->data(Qt::UserRole).toString());
    }
    break;
  }
  return true;
}

void Gallery::addHeading(const QString& group) {
  auto* item = new QListWidgetItem(group, m_list);
  item->setFlags(Qt::NoItemFlags);  // neither selected nor opened
  item->setTextAlignment(Qt::AlignCenter);
  QFont font = item->font();
  font.setBold(true);
  item->setFont(font);
}

void Gallery::showLesson() {
  const QListWidgetItem* item = m_list->currentItem();
  if (!item) {
    m_lesson->setPlainText(m_entries.empty()      ? tr("No scenes found. Open one with Ctrl+O.")
                           : m_list->count() == 0 ? tr("No scene matches the search.")
                                                  : tr("Select a scene to read what it shows."));
    return;
  }
  for (const GalleryEntry& entry : m_entries) {
    if (entry.path != item->data(Qt::UserRole).toString()) continue;
    const QString title = entry.title.isEmpty() ? entry.name : entry.title;
    m_lesson->setMarkdown(QStringLiteral("### %1\n\n%2").arg(title, entry.lesson));
  }
}

}  // namespace touchstone
