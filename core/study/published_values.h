#pragma once

#include <map>
#include <string>
#include <vector>

namespace touchstone {

/// Numbers that a published figure, table or claim states.
struct PublishedFigure {
  std::string id, paper, kind, title;
  std::string shape;        ///< what it shows, in words
  std::string unavailable;  ///< what only its picture shows; empty: nothing
  /// Numbers by name: one, or the two ends of a range.
  std::map<std::string, std::vector<double>> numbers;
};

/// The published values that figures show beside ours: datasets/published.json.
class PublishedValues {
 public:
  /// @throws SceneError with file, field and remedy
  explicit PublishedValues(const std::string& file);
  const std::vector<PublishedFigure>& figures() const { return m_figures; }
  /// The figure with this id, or null.
  const PublishedFigure* find(const std::string& id) const;
  /// "Tang et al. 2012" of a paper's key.
  std::string paper(const std::string& key) const;

 private:
  std::vector<PublishedFigure> m_figures;
  std::map<std::string, std::string> m_papers;
};

}  // namespace touchstone
