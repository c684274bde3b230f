// How parameters are described in messages.
#include "troupe/pipeline/param_check.h"
#include "troupe/pipeline/toml_source.h"

#include <cmath>
#include <cstdint>

namespace troupe::pipeline {
namespace {

std::string bound_text(double bound) {
  const bool whole = std::floor(bound) == bound && std::abs(bound) < 9e15;
  return to_toml(whole ? Value(static_cast<std::int64_t>(bound)) : Value(bound));
}

std::string_view with_article(ParamType type) {
  switch (type) {
    case ParamType::boolean:
      return "true or false";
    case ParamType::integer:
      return "an integer";
    case ParamType::number:
      return "a number";
    case ParamType::text:
      return "a string";
    case ParamType::text_list:
      return "an array of strings";
  }
  return "a value";
}

std::string numeric_range(const ParamSpec& spec) {
  const bool low = std::isfinite(spec.min);
  const bool high = std::isfinite(spec.max);
  if (low && high) return bound_text(spec.min) + " to " + bound_text(spec.max);
  if (low) return "at least " + bound_text(spec.min);
  if (high) return "at most " + bound_text(spec.max);
  return {};
}

std::string choices_text(const std::vector<std::string>& choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += '"' + choices[i] + '"';
  }
  return text;
}

}  // namespace

std::string_view to_string(ParamType type) {
  constexpr std::string_view names[] = {"boolean", "integer", "number", "text", "list of text"};
  return names[static_cast<std::size_t>(type)];
}

std::vector<std::string> choices_of(const ParamSpec& spec) {
  std::vector<std::string> choices;
  for (auto rest = spec.choices; !rest.empty();) {
    const auto bar = rest.find('|');
    choices.emplace_back(rest.substr(0, bar));
    rest = bar == rest.npos ? std::string_view{} : rest.substr(bar + 1);
  }
  return choices;
}

std::string describe_range(const ParamSpec& spec) {
  if (spec.type == ParamType::integer || spec.type == ParamType::number) return numeric_range(spec);
  std::string text;
  for (const auto& choice : choices_of(spec))
    text += (text.empty() ? "" : " | ") + choice;
  return text;
}

std::string describe_values(const ParamSpec& spec) {
  const auto choices = choices_of(spec);
  if (spec.type == ParamType::text && !choices.empty()) return choices_text(choices);
  std::string text(with_article(spec.type));
  const auto range = numeric_range(spec);
  if (!range.empty()) text += (range.starts_with("at ") ? " " : " from ") + range;
  if (!spec.unit.empty()) text += (range.empty() ? " (" : " ") + std::string(spec.unit);
  if (!spec.unit.empty() && range.empty()) text += ")";
  return text;
}

}  // namespace troupe::pipeline
