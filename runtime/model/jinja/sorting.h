#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/render.h"

#include <vector>

namespace troupe::model::jinja {

/// What a filter compares an item by: the attribute named by `path` (absent: the item itself), with
/// strings in lower case unless case counts.
Result<Var> sort_key(Render& render, const Var& value, const Var& path, bool case_sensitive);
/// The order of items by their keys, stable, ascending or descending.
/// Errors: invalid_argument for keys that cannot be compared.
Result<std::vector<std::size_t>> sorted_order(Render& render, const std::vector<Var>& keys,
                                              bool descending);

}  // namespace troupe::model::jinja
