#include "troupe/model/jinja/access.h"
#include "troupe/model/jinja/operators.h"
#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace troupe::model::jinja {
namespace {

constexpr int kMaxDepth = 100;

Result<bool> equal_at(Render& render, const Var& left, const Var& right, int depth);

Result<bool> equal_texts(Render& render, const Text& left, const Text& right) {
  if (left.size() != right.size()) return false;
  JINJA_CHECK(render.spend_bytes(left.size()));
  return left == right;
}

Result<bool> equal_sequences(Render& render, const Sequence& left, const Sequence& right,
                             int depth) {
  if (&left == &right) return true;
  if (left.kind != right.kind || left.kind == SequenceKind::generator) return false;
  if (left.items.size() != right.items.size()) return false;
  for (std::size_t i = 0; i < left.items.size(); ++i) {
    JINJA_TRY(same, equal_at(render, left.items[i], right.items[i], depth + 1));
    if (!same) return false;
  }
  return true;
}

Result<bool> equal_mappings(Render& render, const Mapping& left, const Mapping& right, int depth) {
  if (&left == &right) return true;
  if (left.is_namespace || right.is_namespace) return false;
  if (left.entries.size() != right.entries.size()) return false;
  for (const auto& [key, value] : left.entries) {
    JINJA_TRY(other, find_key(render, right, key));
    if (!other) return false;
    JINJA_TRY(same, equal_at(render, value, *other, depth + 1));
    if (!same) return false;
  }
  return true;
}

Result<bool> equal_at(Render& render, const Var& left, const Var& right, int depth) {
  if (depth > kMaxDepth)
    return fault("the values compared are nested deeper than " + std::to_string(kMaxDepth) +
                 " levels");
  JINJA_CHECK(render.spend(1));
  if (left.kind() != right.kind())
    return left.is_number() && right.is_number() && same_key(left, right);
  switch (left.kind()) {
    case Var::Kind::string:
      return equal_texts(render, left.as_text(), right.as_text());
    case Var::Kind::sequence:
      return equal_sequences(render, left.as_sequence(), right.as_sequence(), depth);
    case Var::Kind::mapping:
      return equal_mappings(render, left.as_mapping(), right.as_mapping(), depth);
    case Var::Kind::callable:
      return &left.as_callable() == &right.as_callable();
    case Var::Kind::loop:
      return &left.as_loop() == &right.as_loop();
    default:
      return same_key(left, right);
  }
}

Result<bool> less_at(Render& render, const Var& left, const Var& right, int depth);

Result<bool> less_sequences(Render& render, const Sequence& left, const Sequence& right,
                            int depth) {
  const auto shorter = std::min(left.items.size(), right.items.size());
  for (std::size_t i = 0; i < shorter; ++i) {
    JINJA_TRY(same, equal_at(render, left.items[i], right.items[i], depth));
    if (!same) return less_at(render, left.items[i], right.items[i], depth + 1);
  }
  return left.items.size() < right.items.size();
}

bool less_numbers(const Var& left, const Var& right) {
  if (left.is_integer() && right.is_integer()) return left.as_integer() < right.as_integer();
  return left.as_real() < right.as_real();
}

Result<bool> less_at(Render& render, const Var& left, const Var& right, int depth) {
  if (depth > kMaxDepth)
    return fault("the values compared are nested deeper than " + std::to_string(kMaxDepth) +
                 " levels");
  JINJA_CHECK(render.spend(1));
  if (left.is_undefined()) return fault(left.why_undefined());
  if (right.is_undefined()) return fault(right.why_undefined());
  if (left.is_number() && right.is_number()) return less_numbers(left, right);
  if (left.is_string() && right.is_string()) {
    JINJA_CHECK(render.spend_bytes(std::min(left.as_text().size(), right.as_text().size())));
    return left.as_text().bytes() < right.as_text().bytes();
  }
  const bool lists = left.is_sequence() && right.is_sequence();
  if (lists && left.as_sequence().kind == right.as_sequence().kind &&
      left.as_sequence().kind <= SequenceKind::tuple)
    return less_sequences(render, left.as_sequence(), right.as_sequence(), depth);
  return fault("'<' not supported between instances of '" + std::string(type_name(left)) +
               "' and '" + std::string(type_name(right)) + "'");
}

Result<bool> not_less(Render& render, const Var& left, const Var& right) {
  if (left.is_number() && right.is_number() &&
      (left.as_real() != left.as_real() || right.as_real() != right.as_real()))
    return false;
  return less(render, left, right).map([](bool is_less) { return !is_less; });
}

Result<bool> string_contains(Render& render, const Var& needle, const Text& haystack) {
  if (needle.is_undefined()) return fault(needle.why_undefined());
  if (!needle.is_string())
    return fault("'in <string>' requires string as left operand, not " +
                 std::string(type_name(needle)));
  JINJA_CHECK(render.spend_bytes(haystack.size()));
  return haystack.view().find(needle.as_text().view()) != std::string_view::npos;
}

Result<bool> sequence_contains(Render& render, const Var& needle, Sequence& sequence) {
  for (auto i = sequence.taken; i < sequence.items.size(); ++i) {
    if (sequence.kind == SequenceKind::generator) sequence.taken = i + 1;
    JINJA_TRY(same, equal(render, sequence.items[i], needle));
    if (same) return true;
  }
  return false;
}

}  // namespace

Result<bool> equal(Render& render, const Var& left, const Var& right) {
  return equal_at(render, left, right, 0);
}

Result<bool> less(Render& render, const Var& left, const Var& right) {
  return less_at(render, left, right, 0);
}

Result<bool> contains(Render& render, const Var& needle, const Var& haystack) {
  if (haystack.is_undefined()) return false;
  if (haystack.is_string()) return string_contains(render, needle, haystack.as_text());
  if (haystack.is_sequence()) return sequence_contains(render, needle, haystack.as_sequence());
  if (haystack.is_mapping() && !haystack.as_mapping().is_namespace) {
    return find_key(render, haystack.as_mapping(), needle).map([](const Var* found) {
      return found != nullptr;
    });
  }
  return fault("argument of type '" + std::string(type_name(haystack)) + "' is not iterable");
}

Result<bool> compare(Render& render, CompareOperator op, const Var& left, const Var& right) {
  const auto opposite = [](bool value) { return !value; };
  switch (op) {
    case CompareOperator::equal:
      return equal(render, left, right);
    case CompareOperator::not_equal:
      return equal(render, left, right).map(opposite);
    case CompareOperator::less:
      return less(render, left, right);
    case CompareOperator::greater:
      return less(render, right, left);
    case CompareOperator::less_equal:
      return not_less(render, right, left);
    case CompareOperator::greater_equal:
      return not_less(render, left, right);
    case CompareOperator::in:
      return contains(render, left, right);
    case CompareOperator::not_in:
      return contains(render, left, right).map(opposite);
  }
  return false;
}

}  // namespace troupe::model::jinja
