#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <algorithm>
#include <string>

namespace troupe::model::jinja {
namespace {

/// Where Python's slice starts and how many items it takes.
struct SliceRange {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

Result<std::int64_t> slice_index(const Var& bound, std::int64_t otherwise, std::int64_t length,
                                 bool backward) {
  if (bound.is_absent() || bound.is_none()) return otherwise;
  if (bound.is_undefined()) return fault(bound.why_undefined());
  if (!bound.is_integer())
    return fault("slice indices must be integers or None, not '" + std::string(type_name(bound)) +
                 "'");
  auto index = bound.as_integer();
  if (index < 0) index = index < -length ? -1 : index + length;
  if (index < 0) return backward ? -1 : 0;
  return std::min(index, backward ? length - 1 : length);
}

Result<SliceRange> slice_range(const Var& start, const Var& stop, const Var& step,
                               std::int64_t length) {
  SliceRange range;
  if (!step.is_absent() && !step.is_none()) {
    if (!step.is_integer()) return fault("slice indices must be integers or None");
    range.step = step.as_integer();
  }
  if (range.step == 0) return fault("slice step cannot be zero");
  const bool backward = range.step < 0;
  JINJA_TRY(first, slice_index(start, backward ? length - 1 : 0, length, backward));
  JINJA_TRY(last, slice_index(stop, backward ? -1 : length, length, backward));
  range.start = first;
  const auto distance = backward ? first - last : last - first;
  // The magnitude as an unsigned number, since the smallest step has no positive twin.
  const auto stride = backward ? 0 - static_cast<std::uint64_t>(range.step)
                               : static_cast<std::uint64_t>(range.step);
  if (distance > 0)
    range.count =
        static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) - 1) / stride + 1);
  return range;
}

Result<Var> slice_text(Render& render, const Text& text, const SliceRange& range) {
  JINJA_CHECK(render.spend(text.size() / 8));
  Text piece;
  if (range.step == 1) {
    const auto begin = byte_offset(text.view(), static_cast<std::size_t>(range.start));
    const auto size = byte_offset(text.view().substr(begin), static_cast<std::size_t>(range.count));
    return render.heap().text(text.slice(begin, begin + size));
  }
  std::vector<std::size_t> offsets;
  for (std::size_t at = 0; at < text.size(); at += character_at(text.view(), at).size)
    offsets.push_back(at);
  for (std::int64_t i = 0; i < range.count; ++i) {
    const auto at = offsets[static_cast<std::size_t>(range.start + i * range.step)];
    piece.append(text, at, at + character_at(text.view(), at).size);
  }
  return render.heap().text(std::move(piece));
}

Result<Var> slice_items(Render& render, const Sequence& sequence, const SliceRange& range) {
  JINJA_CHECK(render.spend(static_cast<std::size_t>(range.count) / 4));
  std::vector<Var> items;
  items.reserve(static_cast<std::size_t>(range.count));
  for (std::int64_t i = 0; i < range.count; ++i)
    items.push_back(sequence.items[static_cast<std::size_t>(range.start + i * range.step)]);
  return render.heap().sequence(std::move(items), sequence.kind);
}

Result<std::vector<Var>> take_all(Render& render, Sequence& sequence) {
  const auto begin = sequence.items.begin() + static_cast<std::ptrdiff_t>(sequence.taken);
  JINJA_CHECK(render.spend(sequence.items.size() / 4));
  std::vector<Var> items(begin, sequence.items.end());
  if (sequence.kind == SequenceKind::generator) sequence.taken = sequence.items.size();
  return items;
}

}  // namespace

Result<Var> slice(Render& render, const Var& object, const Var& start, const Var& stop,
                  const Var& step) {
  if (object.is_undefined()) return fault(object.why_undefined());
  const auto length = length_of(object);
  const bool sequence =
      object.is_sequence() && object.as_sequence().kind != SequenceKind::view && length >= 0;
  if (!object.is_string() && !sequence)
    return Var::undefined(type_words(object) + " has no element slice(...)");
  JINJA_TRY(range, slice_range(start, stop, step, length));
  if (object.is_string()) return slice_text(render, object.as_text(), range);
  return slice_items(render, object.as_sequence(), range);
}

Result<std::vector<Var>> characters_of(Render& render, const Text& text) {
  JINJA_CHECK(render.spend(text.size()));
  std::vector<Var> characters;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = at + character_at(text.view(), at).size;
    JINJA_TRY(character, render.heap().text(text.slice(at, end)));
    characters.push_back(std::move(character));
    at = end;
  }
  return characters;
}

Result<std::vector<Var>> items_of(Render& render, const Var& value) {
  if (value.is_undefined()) return std::vector<Var>{};
  if (value.is_string()) return characters_of(render, value.as_text());
  if (value.is_sequence()) return take_all(render, value.as_sequence());
  if (!value.is_mapping() || value.as_mapping().is_namespace)
    return fault("'" + std::string(type_name(value)) + "' object is not iterable");
  const auto& entries = value.as_mapping().entries;
  JINJA_CHECK(render.spend(entries.size() / 4));
  std::vector<Var> keys;
  keys.reserve(entries.size());
  for (const auto& entry : entries)
    keys.push_back(entry.first);
  return keys;
}

}  // namespace troupe::model::jinja
