#pragma once

#include <QTextBrowser>
#include <QWidget>
#include <utility>
#include <vector>

class QListWidget;

namespace touchstone {

/// The guide: pages from the resources, and a page of quantities made from the quantity table.
class HelpPages : public QTextBrowser {
  Q_OBJECT
 public:
  using QTextBrowser::QTextBrowser;
  QVariant loadResource(int type, const QUrl& name) override;
};

/// A window with a list of pages and the selected page. F1 shows it.
class HelpWindow : public QWidget {
  Q_OBJECT
 public:
  explicit HelpWindow(QWidget* parent = nullptr);
  /// @param page  name without ending: "start", "cpf"
  void showPage(const QString& page);
  HelpPages* pages() const { return m_pages; }

 private:
  QListWidget* m_list;
  HelpPages* m_pages;
};

/// Name and title of every page, in the order of the list.
std::vector<std::pair<QString, QString>> helpPages();

/// The table of quantities as Markdown.
QString quantitiesPage();

}  // namespace touchstone
