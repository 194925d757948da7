#include "core/study/published_values.h"

#include <algorithm>

#include "core/files/json_file.h"
#include "core/files/json_view.h"

namespace touchstone {

namespace {

/// Most figures and numbers of a figure. More take long to read; fewer refuse a rich paper.
constexpr std::size_t kMostPublished = 1000;

void readNumbers(const JsonView& view, std::map<std::string, std::vector<double>>& numbers) {
  for (const auto& [name, value] : view.members(kMostPublished)) {
    if (value.json().is_number()) numbers[name] = {value.number()};
    if (value.json().is_array() && std::all_of(value.json().begin(), value.json().end(),
                                               [](const auto& item) { return item.is_number(); }))
      numbers[name] = value.numbers(kMostPublished);
  }
}

}  // namespace

PublishedValues::PublishedValues(const std::string& file) {
  const nlohmann::json document = readJson(file, "it is shipped with the datasets");
  const JsonView root(document, file, "add it; datasets/README.md describes the file");
  root.allowOnly({"format", "note", "papers", "figures"});
  for (const auto& [key, paper] : root.at("papers").members(kMostPublished)) {
    paper.allowOnly({"title", "year", "short", "authors", "hardware", "doi", "solver"});
    m_papers[key] = paper.at("short").text();
  }
  for (const auto& [id, view] : root.at("figures").members(kMostPublished)) {
    view.allowOnly(
        {"paper", "kind", "title", "shape", "parameters", "numbers", "unavailable", "parameters_not_stated"});
    PublishedFigure figure;
    figure.id = id;
    figure.paper = view.at("paper").text();
    figure.kind = view.textOr("kind", "");
    figure.title = view.textOr("title", "");
    figure.shape = view.textOr("shape", "");
    figure.unavailable = view.textOr("unavailable", "");
    if (!m_papers.count(figure.paper))
      view.at("paper").fail("is no paper of this file", "name one of `papers`");
    for (const char* member : {"parameters", "numbers"})
      if (view.has(member)) readNumbers(view.at(member), figure.numbers);
    m_figures.push_back(figure);
  }
}

const PublishedFigure* PublishedValues::find(const std::string& id) const {
  const auto found = std::find_if(m_figures.begin(), m_figures.end(),
                                  [&id](const PublishedFigure& figure) { return figure.id == id; });
  return found == m_figures.end() ? nullptr : &*found;
}

std::string PublishedValues::paper(const std::string& key) const {
  const auto found = m_papers.find(key);
  return found == m_papers.end() ? key : found->second;
}

}  // namespace touchstone
