#include "troupe/model/jinja/loop_attributes.h"

namespace troupe::model::jinja {
namespace {

struct LoopAttribute {
  std::string_view name;
  Var (*value)(const LoopState&);
};

Var number(std::size_t value) {
  return Var::integer(static_cast<std::int64_t>(value), true);
}

Var previous_item(const LoopState& loop) {
  return loop.index > 0 ? loop.items[loop.index - 1] : Var::undefined("there is no previous item");
}

Var next_item(const LoopState& loop) {
  return loop.index + 1 < loop.items.size() ? loop.items[loop.index + 1]
                                            : Var::undefined("there is no next item");
}

constexpr LoopAttribute kAttributes[] = {
    {"index", [](const LoopState& l) { return number(l.index + 1); }},
    {"index0", [](const LoopState& l) { return number(l.index); }},
    {"revindex", [](const LoopState& l) { return number(l.items.size() - l.index); }},
    {"revindex0", [](const LoopState& l) { return number(l.items.size() - l.index - 1); }},
    {"first", [](const LoopState& l) { return Var::boolean(l.index == 0, true); }},
    {"last", [](const LoopState& l) { return Var::boolean(l.index + 1 == l.items.size(), true); }},
    {"length", [](const LoopState& l) { return number(l.items.size()); }},
    {"depth", [](const LoopState& l) { return number(l.depth); }},
    {"depth0", [](const LoopState& l) { return number(l.depth - 1); }},
    {"previtem", previous_item},
    {"nextitem", next_item},
};

}  // namespace

Var loop_attribute(const LoopState& loop, std::string_view name) {
  for (const auto& attribute : kAttributes)
    if (attribute.name == name) return attribute.value(loop);
  return Var();
}

}  // namespace troupe::model::jinja
