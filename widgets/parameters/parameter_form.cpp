#include "widgets/parameters/parameter_form.h"

#include <QGridLayout>
#include <QLabel>

namespace touchstone {

namespace {

QString tooltipOf(const ParameterSpec& spec) {
  const QString range = spec.kind == ParameterKind::Number || spec.kind == ParameterKind::Integer
                            ? QStringLiteral("<p>%1 … %2 %3</p>")
                                  .arg(shownNumber(spec.minimum), shownNumber(spec.maximum),
                                       QString::fromStdString(spec.unit).toHtmlEscaped())
                            : QString();
  return QStringLiteral("<p><b>%1</b> (<code>%2</code>)</p><p>%3</p>%4")
      .arg(QString::fromStdString(spec.label).toHtmlEscaped(), QString::fromStdString(spec.key),
           QString::fromStdString(spec.help).toHtmlEscaped(), range);
}

}  // namespace

ParameterForm::ParameterForm(const std::vector<ParameterSpec>& specs, const ParameterValues& standards,
                             QWidget* parent)
    : QWidget(parent) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setVerticalSpacing(4);
  grid->setColumnStretch(1, 1);
  for (const ParameterSpec& spec : specs) {
    const auto standard = standards.find(spec.key);
    auto* label = new QLabel(QString::fromStdString(spec.label));
    auto* editor = new ParameterEditor(spec, standard == standards.end() ? spec.standard : standard->second);
    constexpr int kShort = 16;  // letters; a longer label wraps where a dock is narrow
    label->setWordWrap(label->text().size() > kShort);
    label->setToolTip(tooltipOf(spec));
    label->setBuddy(editor);
    editor->setToolTip(tooltipOf(spec));
    const int row = grid->rowCount();
    grid->addWidget(label, row, 0);
    grid->addWidget(editor, row, 1);
    connect(editor, &ParameterEditor::edited, this,
            [this, key = spec.key](const ParameterValue& value) { Q_EMIT edited(key, value); });
    if (spec.kind == ParameterKind::Number || spec.kind == ParameterKind::Integer)
      for (QWidget* part : std::initializer_list<QWidget*>{label, editor}) {
        part->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(part, &QWidget::customContextMenuRequested, this,
                [this, part, key = spec.key](const QPoint& position) {
                  Q_EMIT menuRequested(key, part->mapToGlobal(position));
                });
      }
    m_editors.push_back(editor);
  }
}

void ParameterForm::setValues(const ParameterValues& values) {
  for (ParameterEditor* editor : m_editors) {
    const auto value = values.find(editor->spec().key);
    if (value != values.end()) editor->setValue(value->second);
  }
}

ParameterEditor* ParameterForm::editor(const std::string& key) const {
  for (ParameterEditor* editor : m_editors)
    if (editor->spec().key == key) return editor;
  return nullptr;
}

}  // namespace touchstone
