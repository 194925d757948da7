#pragma once

#include <string>
#include <vector>

#include "core/record/contact.h"
#include "core/solver/rows/rows_detail.h"
#include "core/world/world.h"

namespace touchstone {

/// A row of a step as its solver left it: w = constant + J ν + C z, and z as its law allows.
struct ExplainedRow {
  BlockKey block;
  int island = 0;
  bool isOfContact = false;
  std::string owner;    ///< "joint 'elbow'", "'box' – 'floor', vertex 3 – face 1"
  std::string name;     ///< "normal", "lower limit", "strain 2"
  std::string law;      ///< with the numbers of the row: "|z| ≤ 0.02"
  double rate = 0;      ///< w; of a Maximum the largest of its own and its Members'
  double impulse = 0;   ///< z
  double residual = 0;  ///< r |z − proj(z − w/r)| · length, with r = A_ii [m/s]; see eachFailure()
  const char *rateUnit = "m/s", *impulseUnit = "N·s";
};

/// The rows of a step in the order of their blocks, without those that exist for a matrix only.
/// @param world  of the scene; its state is not read
std::vector<ExplainedRow> explainedRows(const World& world, const RowsDetail& rows);

/// The block of the rows of a recorded contact.
BlockKey blockOf(const Contact& contact);

}  // namespace touchstone
