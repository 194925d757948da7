#include "app/bench/ccd_queries.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "app/work/exit_codes.h"
#include "core/files/scene_error.h"
#include "core/geometry/ccd_query.h"
#include "core/math/quantile.h"

namespace touchstone::cli {

namespace fs = std::filesystem;

namespace {

struct Tally {
  long queries = 0, hits = 0, falseNegatives = 0, falsePositives = 0;
  std::vector<float> nanoseconds;
};

struct Labelled {
  CcdQuery query;
  bool touches = false;
};

[[noreturn]] void fail(const fs::path& file, long line, const std::string& problem) {
  throw SceneError(file.string(), "line " + std::to_string(line), problem,
                   "give rows xn,xd,yn,yd,zn,zd,truth, eight to a query");
}

/// Reads a coordinate as numerator and denominator; `text` moves behind them.
double readRational(const fs::path& file, long line, const char*& text) {
  double parts[2];
  for (double& part : parts) {
    char* end = nullptr;
    part = std::strtod(text, &end);
    if (end == text || *end != ',')
      fail(file, line, "has no number followed by a comma where a coordinate should be");
    text = end + 1;
  }
  if (parts[1] == 0) fail(file, line, "has a coordinate with denominator 0");
  return parts[0] / parts[1];
}

std::vector<Labelled> readQueries(const fs::path& file, FeaturePairKind kind) {
  std::ifstream in(file);
  if (!in) fail(file, 0, "cannot be read");
  std::vector<Labelled> queries;
  std::string text;
  long line = 0;
  int row = 0;
  Labelled current;
  current.query.kind = kind;
  while (std::getline(in, text)) {
    ++line;
    if (text.empty() || text == "\r") continue;
    const char* rest = text.c_str();
    Vec3& point = row < 4 ? current.query.start[row] : current.query.end[row - 4];
    for (int axis = 0; axis < 3; ++axis) point[axis] = readRational(file, line, rest);
    if (*rest != '0' && *rest != '1') fail(file, line, "has neither 0 nor 1 as its truth");
    if (row > 0 && current.touches != (*rest == '1'))
      fail(file, line, "has another truth than the rows before it");
    current.touches = *rest == '1';
    if (++row == 8) {
      queries.push_back(current);
      row = 0;
    }
  }
  if (row != 0) fail(file, line, "ends within a query");
  return queries;
}

void run(const std::vector<Labelled>& queries, Tally& tally) {
  using Clock = std::chrono::steady_clock;
  for (const Labelled& labelled : queries) {
    bool touches = false;
    float best = 1e30f;  // the faster of two runs, so that other programs do not count
    for (int repeat = 0; repeat < 2; ++repeat) {
      const auto start = Clock::now();
      touches = mayTouch(labelled.query);
      best = std::min(best, std::chrono::duration<float, std::nano>(Clock::now() - start).count());
    }
    tally.nanoseconds.push_back(best);
    ++tally.queries;
    tally.hits += labelled.touches;
    tally.falseNegatives += labelled.touches && !touches;
    tally.falsePositives += !labelled.touches && touches;
  }
}

void print(const std::string& name, Tally& tally) {
  std::sort(tally.nanoseconds.begin(), tally.nanoseconds.end());
  double sum = 0;
  for (float time : tally.nanoseconds) sum += time;
  std::printf(
      "%-44s %10ld %10ld %9ld %9ld %9.3f %9.3f %9.3f\n", printable(name).c_str(), tally.queries, tally.hits,
      tally.falseNegatives, tally.falsePositives, 1e-3 * sum / static_cast<double>(tally.queries),
      1e-3 * median({tally.nanoseconds.begin(), tally.nanoseconds.end()}), 1e-3 * tally.nanoseconds.back());
}

void add(const Tally& part, Tally& total) {
  total.queries += part.queries;
  total.hits += part.hits;
  total.falseNegatives += part.falseNegatives;
  total.falsePositives += part.falsePositives;
  total.nanoseconds.insert(total.nanoseconds.end(), part.nanoseconds.begin(), part.nanoseconds.end());
}

}  // namespace

int verifyCcdQueries(const std::string& folder) {
  if (!fs::is_directory(folder))
    throw SceneError(folder, "", "is no folder", "give the folder that holds …/edge-edge and …/vertex-face");
  std::map<std::string, Tally> groups;
  std::map<std::string, Tally> kinds;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string kind = file.parent_path().filename().string();
    if (kind != "edge-edge" && kind != "vertex-face") continue;
    const std::vector<Labelled> queries =
        readQueries(file, kind == "edge-edge" ? FeaturePairKind::EdgeEdge : FeaturePairKind::VertexFace);
    if (queries.empty()) continue;
    Tally tally;
    run(queries, tally);
    add(tally, groups[file.parent_path().lexically_relative(folder).string()]);
    add(tally, kinds[kind]);
  }
  if (kinds.empty())
    throw SceneError(folder, "", "holds no queries",
                     "put them into folders named edge-edge and vertex-face, as *.csv");
  std::printf("%-44s %10s %10s %9s %9s %9s %9s %9s\n", "group", "queries", "hits", "false neg", "false pos",
              "mean µs", "median", "worst");
  long missed = 0, hits = 0;
  for (auto& [name, tally] : groups) print(name, tally);
  for (auto& [name, tally] : kinds) {
    print("all " + name, tally);
    missed += tally.falseNegatives;
    hits += tally.hits;
  }
  if (hits == 0)
    throw SceneError(folder, "", "holds no query that touches, so that none can be missed",
                     "add queries with the truth 1");
  if (missed > 0) std::cerr << missed << " queries that touch were answered with no\n";
  return missed > 0 ? kSimulationFailed : kDone;
}

}  // namespace touchstone::cli
