#include "troupe/model/gguf/name_index.h"

#include <algorithm>

namespace troupe::model::gguf {

NameIndex::NameIndex(std::span<const std::string_view> names) {
  entries_.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    entries_.push_back({names[i], i});
  std::ranges::sort(entries_, {}, &Entry::name);
}

std::optional<std::size_t> NameIndex::find(std::string_view name) const {
  const auto entry = std::ranges::lower_bound(entries_, name, {}, &Entry::name);
  if (entry == entries_.end() || entry->name != name) return std::nullopt;
  return entry->position;
}

std::optional<std::string_view> NameIndex::duplicate() const {
  const auto twin = std::ranges::adjacent_find(entries_, {}, &Entry::name);
  if (twin == entries_.end()) return std::nullopt;
  return twin->name;
}

}  // namespace troupe::model::gguf
