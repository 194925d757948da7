#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "app/session/pane_state.h"
#include "core/explain/contact_explanation.h"

class QLabel;
class QSlider;
class QTextBrowser;

namespace touchstone {

class PlotView;
class Session;

/// Dock page for one contact inside one step: gap over the step, force or residuals, all numbers behind them,
/// and a slider that moves the contact's features through the step in all views. Or for a joint, an
/// attachment or an element: its rows.
class StepInspector : public QWidget {
  Q_OBJECT
 public:
  explicit StepInspector(Session* session, QWidget* parent = nullptr);

  QSlider* slider() const { return m_slider; }
  PlotView* gapPlot() const { return m_gap; }
  PlotView* forcePlot() const { return m_second; }
  QString shownText() const;
  void setDark(bool dark);

 public Q_SLOTS:
  void refresh();
  /// Follows a contact of a pane by its features; −1: none.
  void showContact(int pane, int contact);
  /// Follows the rows of a block of a pane.
  void showBlock(int pane, const touchstone::BlockKey& block);

 Q_SIGNALS:
  /// The point in the step at which the features are shown; none: at its end, as in the views.
  void fractionChanged(const std::optional<double>& fraction);

 protected:
  void showEvent(QShowEvent*) override { refresh(); }
  void hideEvent(QHideEvent*) override { Q_EMIT fractionChanged(std::nullopt); }

 private:
  void onExplained(const ExplainedPtr& explained);
  void showExplanation(const Explained& explained, const Contact& contact);
  void showRows(const Explained& explained);
  /// Joints, attachments and elements that are coupled with a contact.
  QString describeCoupled(const Explained& explained, const Contact& contact);
  /// The explainer of the scene that is open.
  const ContactExplainer& explainer();
  QString titleOf(const QString& what, const Explained& explained) const;
  void clearPlots();
  void showNothing(const QString& why);
  void showPlots(const ContactExplanation& explanation, const QString& method);
  QString describe(const ContactExplanation& explanation, const Contact& contact) const;
  void moveSlider();
  int find(const StepRecord& record) const;

  Session* m_session;
  QLabel *m_title, *m_place;
  QWidget* m_plots;  ///< with the slider; rows of joints have none
  PlotView *m_gap, *m_second;
  QSlider* m_slider;
  QTextBrowser* m_text;
  std::unique_ptr<ContactExplainer> m_explainer;
  std::shared_ptr<const Scene> m_explainedScene;
  std::optional<Contact> m_contact;
  std::optional<BlockKey> m_block;  ///< in the place of a contact
  int m_pane = -1;                  ///< id
  long m_shownFrame = -1;
};

}  // namespace touchstone
