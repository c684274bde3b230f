#include "troupe/core/param_check.h"

#include "troupe/core/json.h"
#include "troupe/core/nearest_name.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace troupe {
namespace {

std::string_view type_text(ParamType type) {
  switch (type) {
    case ParamType::boolean:
      return "true or false";
    case ParamType::integer:
      return "an integer";
    case ParamType::number:
      return "a number";
    case ParamType::text:
      return "a text";
    case ParamType::text_list:
      return "a list of texts";
  }
  return "a value";
}

bool has_type(ParamType type, const Value& value) {
  switch (type) {
    case ParamType::boolean:
      return value.is_bool();
    case ParamType::integer:
      return value.is_int();
    case ParamType::number:
      return value.is_number() && !std::isnan(value.as_double());
    case ParamType::text:
      return value.is_string();
    case ParamType::text_list:
      return value.is_array() && std::all_of(value.as_array().begin(), value.as_array().end(),
                                             [](const Value& item) { return item.is_string(); });
  }
  return false;
}

tl::unexpected<Error> refuse(const ParamSpec& spec, const Value& found, std::string expected) {
  return fail(ErrorCode::invalid_argument, std::string(spec.name) + " = " + to_json(found) +
                                               ": expected " + std::move(expected));
}

std::string range_text(const ParamSpec& spec) {
  std::ostringstream out;
  out.precision(17);
  out << type_text(spec.type) << " from " << spec.min << " to " << spec.max;
  return out.str();
}

bool is_choice(std::string_view choices, std::string_view word) {
  while (true) {
    const auto bar = choices.find('|');
    if (choices.substr(0, bar) == word) return true;
    if (bar == choices.npos) return false;
    choices.remove_prefix(bar + 1);
  }
}

}  // namespace

Result<Value> parse_default(const ParamSpec& spec) {
  auto value = parse_json(spec.default_value);
  if (!value) return fail_at(std::string(spec.name) + ": default", value.error());
  return value;
}

Result<void> check_param(const ParamSpec& spec, const Value& value) {
  if (!has_type(spec.type, value)) return refuse(spec, value, std::string(type_text(spec.type)));
  if (value.is_number() && (value.as_double() < spec.min || value.as_double() > spec.max))
    return refuse(spec, value, range_text(spec));
  if (value.is_string() && !spec.choices.empty() && !is_choice(spec.choices, value.as_string()))
    return refuse(spec, value, "one of " + std::string(spec.choices));
  return {};
}

Result<Params> complete_params(std::span<const ParamSpec> specs, const Value::Object& given) {
  for (const auto& [name, value] : given) {
    const auto is_name = [&name = name](const ParamSpec& spec) { return spec.name == name; };
    if (std::any_of(specs.begin(), specs.end(), is_name)) continue;
    std::vector<std::string> names;
    for (const auto& spec : specs)
      names.emplace_back(spec.name);
    return fail(ErrorCode::invalid_argument, "no such parameter: " + name + suggest(name, names));
  }
  Value::Object complete;
  for (const auto& spec : specs) {
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const auto& entry) { return entry.first == spec.name; });
    if (found == given.end() && spec.default_value.empty())
      return fail(ErrorCode::invalid_argument,
                  std::string(spec.name) + " is required: " + std::string(spec.help));
    auto value = found == given.end() ? parse_default(spec) : Result<Value>(found->second);
    if (!value) return fail(value.error());
    if (auto good = check_param(spec, *value); !good) return fail(good.error());
    complete.emplace_back(std::string(spec.name), std::move(*value));
  }
  return Params(std::move(complete));
}

}  // namespace troupe
