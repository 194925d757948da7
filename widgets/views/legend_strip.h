#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

class QPainter;

namespace touchstone {

/// Meaning of the colours, glyphs and arrows of all views.
struct LegendContent {
  struct Ramp {
    QString title;
    std::vector<QColor> colours;  ///< equidistant along the ramp
    QString low, high;            ///< values at the tick, or at the lower end, and at the upper end
    bool hasThreshold = false;    ///< below the tick the first colour goes on
    bool operator==(const Ramp& other) const;
  };
  enum class Glyph { Ball, Disk, Diamond, Outline, Spot };
  struct Mark {
    Glyph glyph;
    QColor colour;
    QString text;  ///< empty: that of the next one
    bool operator==(const Mark& other) const;
  };
  struct Method {
    QColor colour;
    QString shortName, name;
    bool operator==(const Method& other) const;
  };
  std::vector<Ramp> ramps;
  QString arrow;  ///< force of the longest arrow; empty: no arrows are shown
  std::vector<Mark> marks;
  std::vector<Method> methods;
  QStringList notes;
  bool operator==(const LegendContent& other) const;
};

/// The whole legend in words, for a tooltip.
QString textOf(const LegendContent& content);

/// Paints a legend into one line. Where it has no room, methods have their short names, then ramps are
/// shorter, then the text is smaller, then methods and at last marks are left out.
/// @param text  its colour
void paintLegend(QPainter& painter, const QRectF& line, const LegendContent& content, const QColor& text);

/// One line below all views.
class LegendStrip : public QWidget {
  Q_OBJECT
 public:
  explicit LegendStrip(QWidget* parent = nullptr);
  const LegendContent& content() const { return m_content; }
  void setContent(const LegendContent& content);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  LegendContent m_content;
};

}  // namespace touchstone
