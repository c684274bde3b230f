#pragma once
#include "troupe/model/jinja/var.h"

#include <cstddef>
#include <vector>

namespace troupe::model::jinja {

struct ForStatement;
struct Scope;

/// What `loop` shows inside a for block.
struct LoopState {
  std::vector<Var> items;
  std::size_t index = 0;  // of the turn, from 0
  std::size_t depth = 1;  // of a recursive loop, from 1
  /// What loop.changed() saw last.
  std::vector<Var> last_seen;
  bool has_seen = false;
  /// For loop(...) of a recursive loop; nullptr otherwise.
  const ForStatement* recursive = nullptr;
  Scope* outer = nullptr;
};

}  // namespace troupe::model::jinja
