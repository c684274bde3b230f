#include "troupe/pipeline/param_check.h"

#include "troupe/core/nearest_name.h"
#include "troupe/pipeline/toml_source.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace troupe::pipeline {
namespace {

/// The value with the declared type; nothing when it has another one.
std::optional<Value> typed_value(const ParamSpec& spec, const GivenValue& given) {
  const auto& value = given.value;
  switch (spec.type) {
    case ParamType::boolean:
      return value.is_bool() ? std::optional(value) : std::nullopt;
    case ParamType::integer:
      return value.is_int() ? std::optional(value) : std::nullopt;
    case ParamType::number:
      return value.is_number() ? std::optional(Value(value.as_double())) : std::nullopt;
    case ParamType::text:
      if (value.is_string()) return value;
      return given.typed ? std::optional(Value(*given.typed)) : std::nullopt;
    case ParamType::text_list:
      if (!value.is_array()) return std::nullopt;
      if (!std::ranges::all_of(value.as_array(), &Value::is_string)) return std::nullopt;
      return value;
  }
  return std::nullopt;
}

std::string found_text(std::string_view name, const Value& value, std::string_view fault) {
  return std::string(name) + " = " + to_toml(value) + " " + std::string(fault);
}

bool in_range(const ParamSpec& spec, const Value& value) {
  if (!value.is_number()) return true;
  const double number = value.as_double();
  return std::isfinite(number) && number >= spec.min && number <= spec.max;
}

std::string type_fault(const ParamSpec& spec, const Value& value) {
  if (spec.type == ParamType::text_list && value.is_array()) return "has an item that is no string";
  const auto type = value.type_name();
  if (type == "object") return "is a table";
  const bool vowel = type == "integer" || type == "array";
  return (vowel ? "is an " : "is a ") + std::string(type);
}

std::optional<Value> check_value(const ParamSpec& spec, const GivenValue& given,
                                 Diagnostics& diagnostics) {
  if (given.value.is_null()) return std::nullopt;  // a date, reported when it was read
  const auto value = typed_value(spec, given);
  if (!value) {
    diagnostics.add(given.where, found_text(spec.name, given.value, type_fault(spec, given.value)),
                    describe_values(spec));
    return std::nullopt;
  }
  if (!in_range(spec, *value)) {
    diagnostics.add(given.where, found_text(spec.name, *value, "is out of range"),
                    describe_values(spec));
    return std::nullopt;
  }
  const auto choices = choices_of(spec);
  if (spec.type != ParamType::text || choices.empty()) return value;
  if (std::ranges::find(choices, value->as_string()) != choices.end()) return value;
  diagnostics.add(given.where, found_text(spec.name, *value, "is none of its choices"),
                  describe_values(spec), std::string(nearest_name(value->as_string(), choices)));
  return std::nullopt;
}

class Checker {
 public:
  Checker(const ParamOwner& owner, Diagnostics& diagnostics)
      : owner_(owner), diagnostics_(diagnostics) {}

  ResolvedKey resolve(const ParamSpec& spec, const GivenKey* given) {
    ResolvedKey key{owner_.key_prefix + std::string(spec.name),
                    {},
                    std::string(to_string(spec.type)),
                    std::string(spec.unit),
                    describe_range(spec),
                    std::string(spec.default_value),
                    std::string(spec.help)};
    add_default(spec, key);
    if (given)
      for (const auto& one : given->values)
        if (auto value = check_value(spec, one, diagnostics_))
          key.history.push_back({std::move(*value), one.where, std::string(one.layer)});
    if (spec.default_value.empty() && !given)
      diagnostics_.add(
          owner_.where, owner_.title + " lacks its " + owner_.noun + " " + in_quotes(spec.name),
          describe_values(spec) + (spec.help.empty() ? "" : ": ") + std::string(spec.help));
    return key;
  }

  void report_unknown(std::span<const ParamSpec> specs, const GivenTable& given) {
    std::vector<std::string> names;
    for (const auto& spec : specs)
      names.emplace_back(spec.name);
    const auto expected = names.empty() ? "no " + owner_.noun : one_of(names);
    for (const auto& key : given.keys) {
      if (std::ranges::find(names, key.name) != names.end()) continue;
      for (const auto& one : key.values)
        diagnostics_.add(
            one.key_where,
            "unknown " + owner_.noun + " " + in_quotes(key.name) + " of " + owner_.title, expected,
            suggestion(key.name, names));
    }
  }

 private:
  std::string suggestion(const std::string& name, const std::vector<std::string>& names) const {
    const auto other = nearest_name(name, owner_.other_names);
    if (other == name) return owner_.other_prefix + name;
    if (const auto near = nearest_name(name, names); !near.empty()) return std::string(near);
    return other.empty() ? "" : owner_.other_prefix + std::string(other);
  }

  void add_default(const ParamSpec& spec, ResolvedKey& key) {
    if (spec.default_value.empty()) return;
    const SourceLocation where{"the default of " + owner_.title, 0, 0};
    const auto value = parse_toml_value(spec.default_value);
    if (!value) {
      diagnostics_.add(where, "the default of " + in_quotes(spec.name) + " is no TOML value",
                       describe_values(spec), {}, ErrorCode::internal);
      return;
    }
    const GivenValue given{*value, where, where, kDefaultLayer, std::nullopt};
    if (auto checked = check_value(spec, given, diagnostics_))
      key.history.push_back({std::move(*checked), where, std::string(kDefaultLayer)});
  }

  const ParamOwner& owner_;
  Diagnostics& diagnostics_;
};

}  // namespace

CheckedParams check_params(std::span<const ParamSpec> specs, const GivenTable& given,
                           const ParamOwner& owner, Diagnostics& diagnostics) {
  Checker checker(owner, diagnostics);
  CheckedParams checked;
  for (const auto& spec : specs) {
    auto key = checker.resolve(spec, given.find(spec.name));
    if (key.history.empty()) continue;
    checked.values.emplace_back(spec.name, key.current().value);
    checked.keys.push_back(std::move(key));
  }
  checker.report_unknown(specs, given);
  return checked;
}

}  // namespace troupe::pipeline
