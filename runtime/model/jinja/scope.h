#pragma once
#include "troupe/model/jinja/var.h"

#include <utility>
#include <vector>

namespace troupe::model::jinja {

/// A variable's name: its number in the template's list of names.
using Symbol = int;

/// The variables of one block: the template's top level, one turn of a loop, one call of a macro.
struct Scope {
  using Entry = std::pair<Symbol, Var>;

  Scope* parent = nullptr;
  std::vector<Entry> entries;
  /// A macro defined inside still refers to it.
  bool remembered = false;

  const Var* find_here(Symbol symbol) const {
    for (const auto& [name, value] : entries)
      if (name == symbol) return &value;
    return nullptr;
  }

  void set(Symbol symbol, Var value) {
    for (auto& [name, old] : entries)
      if (name == symbol) {
        old = std::move(value);
        return;
      }
    entries.emplace_back(symbol, std::move(value));
  }
};

}  // namespace troupe::model::jinja
