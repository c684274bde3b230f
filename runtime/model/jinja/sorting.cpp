#include "troupe/model/jinja/sorting.h"

#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/operators.h"
#include "troupe/model/jinja/text_case.h"
#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace troupe::model::jinja {

Result<Var> sort_key(Render& render, const Var& value, const Var& path, bool case_sensitive) {
  Var key = value;
  if (!path.is_absent() && !path.is_none()) {
    JINJA_TRY(found, attribute_path(render, value, path));
    key = found;
  }
  if (case_sensitive || !key.is_string()) return key;
  JINJA_CHECK(render.spend(key.as_text().size() / 8));
  return render.heap().text(lower(key.as_text()));
}

Result<std::vector<std::size_t>> sorted_order(Render& render, const std::vector<Var>& keys,
                                              bool descending) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::optional<Error> error;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (error) return false;
    const auto before =
        descending ? less(render, keys[b], keys[a]) : less(render, keys[a], keys[b]);
    if (!before) error = before.error();
    return before && *before;
  });
  if (error) return fail(std::move(*error));
  return order;
}

}  // namespace troupe::model::jinja
