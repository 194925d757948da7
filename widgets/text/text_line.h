#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

namespace touchstone {

/// A line of text that changes with every frame. Unlike a QLabel it does not request another size when its
/// text changes, which would lay out and compose the whole window for every number.
class TextLine : public QWidget {
  Q_OBJECT
 public:
  explicit TextLine(Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter, QWidget* parent = nullptr);
  void setText(const QString& text);
  /// Sets a text in several forms, the longest first. The line paints the longest that fits.
  void setForms(const QStringList& forms);
  /// The longest form.
  const QString& text() const { return m_text; }
  /// The form that fits into the present width; the last one where none does.
  QString fittingText() const;
  /// Requests the width of this text.
  void setSample(const QString& sample);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Qt::Alignment m_alignment;
  QString m_text, m_sample;
  QStringList m_shorter;  ///< other forms of the text, the longest first
};

}  // namespace touchstone
