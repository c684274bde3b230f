#include "inspect_plugin.h"

#include "troupe/core/json.h"
#include "troupe/core/param_check.h"

#include <cmath>
#include <cstdio>

namespace troupe::program {
namespace {

std::string_view to_string(ParamType type) {
  constexpr std::string_view kNames[] = {"boolean", "integer", "number", "text", "list of text"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view to_string(ThreadRule rule) {
  constexpr std::string_view kNames[] = {"single", "any_thread", "owns_threads"};
  return kNames[static_cast<std::size_t>(rule)];
}

/// A bound as an integer where it is one, so that 65536 does not read 65536.0.
Value bound(double number) {
  if (number == std::floor(number) && std::fabs(number) < 9e15)
    return Value(static_cast<std::int64_t>(number));
  return Value(number);
}

Value split_choices(std::string_view choices) {
  Value::Array list;
  while (true) {
    const auto end = choices.find('|');
    list.emplace_back(choices.substr(0, end));
    if (end == std::string_view::npos) return list;
    choices.remove_prefix(end + 1);
  }
}

Value param_value(const ParamSpec& spec) {
  Value value;
  value.set("name", spec.name);
  value.set("type", to_string(spec.type));
  if (!spec.unit.empty()) value.set("unit", spec.unit);
  if (std::isfinite(spec.min)) value.set("min", bound(spec.min));
  if (std::isfinite(spec.max)) value.set("max", bound(spec.max));
  if (!spec.choices.empty()) value.set("choices", split_choices(spec.choices));
  value.set("required", spec.default_value.empty());
  if (!spec.default_value.empty())
    if (auto parsed = parse_default(spec)) value.set("default", std::move(*parsed));
  value.set("help", spec.help);
  return value;
}

Value port_value(const PortSpec& port) {
  Value value;
  value.set("name", port.name);
  value.set("direction", port.direction == PortSpec::Direction::in ? "in" : "out");
  value.set("message", troupe::to_string(port.message));
  value.set("required", port.required);
  value.set("many", port.many);
  return value;
}

template <class Item>
Value list_of(std::span<const Item> items, Value (*convert)(const Item&)) {
  Value::Array list;
  for (const auto& item : items)
    list.push_back(convert(item));
  return list;
}

std::string text_at(const Value& value, std::string_view key) {
  const auto* member = value.find(key);
  if (!member) return {};
  return member->is_string() ? member->as_string() : to_json(*member);
}

/// "integer, tokens, 1 to 65536, default 2048".
std::string describe_param(const Value& param) {
  std::string text = text_at(param, "type");
  if (const auto unit = text_at(param, "unit"); !unit.empty()) text += ", " + unit;
  const auto min = text_at(param, "min"), max = text_at(param, "max");
  if (!min.empty() && !max.empty())
    text += ", " + min + " to " + max;
  else if (!min.empty())
    text += ", " + min + " or more";
  else if (!max.empty())
    text += ", at most " + max;
  if (const auto* choices = param.find("choices")) {
    text += ", one of";
    for (const auto& choice : choices->as_array())
      text += " " + to_json(choice);
  }
  if (param.find("required")->as_bool()) return text + ", required";
  return text + ", default " + to_json(*param.find("default"));
}

std::string ports_text(const Value& ports) {
  std::string text;
  for (const auto& port : ports.as_array()) {
    char line[160];
    std::snprintf(line, sizeof line, "  %-3s  %-10s %-16s%s%s\n",
                  text_at(port, "direction").c_str(), text_at(port, "name").c_str(),
                  text_at(port, "message").c_str(),
                  port.find("required")->as_bool() ? " must be wired" : " optional",
                  port.find("many")->as_bool() ? ", several wires" : "");
    text += line;
  }
  return text;
}

}  // namespace

Result<Value> inspect_value(const Registry& registry, OperatorKind kind, std::string_view name) {
  const auto found = registry.find(kind, name);
  if (!found) return fail(found.error());
  const auto located = registry.locate(kind, name);
  if (!located) return fail(located.error());
  const auto& spec = **found;
  Value traits;
  traits.set("stateless", spec.traits.stateless);
  traits.set("deterministic", spec.traits.deterministic);
  traits.set("threads", to_string(spec.traits.threads));
  Value value;
  value.set("kind", troupe::to_string(spec.kind));
  value.set("name", spec.name);
  value.set("summary", spec.summary);
  value.set("source", spec.source);
  value.set("params", list_of(spec.params, param_value));
  value.set("ports", list_of(spec.ports, port_value));
  value.set("traits", std::move(traits));
  value.set("library", located->file.string());
  value.set("build", std::string_view(located->identity.build));
  value.set("api_version", static_cast<std::int64_t>(located->identity.api_version));
  value.set("abi", std::string_view(located->identity.abi));
  return value;
}

std::string inspect_text(const Value& plugin) {
  const auto& traits = *plugin.find("traits");
  std::string text =
      text_at(plugin, "kind") + "/" + text_at(plugin, "name") + ": " + text_at(plugin, "summary");
  if (const auto source = text_at(plugin, "source"); !source.empty()) text += "\nsource: " + source;
  text += "\n\nparameters:\n";
  if (plugin.find("params")->as_array().empty()) text += "  (none)\n";
  for (const auto& param : plugin.find("params")->as_array())
    text += "  " + text_at(param, "name") + ": " + describe_param(param) + "\n      " +
            text_at(param, "help") + "\n";
  text += "\nports:\n" + ports_text(*plugin.find("ports"));
  text += "\ntraits:  stateless " + text_at(traits, "stateless") + ", deterministic " +
          text_at(traits, "deterministic") + ", threads " + text_at(traits, "threads");
  text += "\nlibrary: " + text_at(plugin, "library") + "\nbuild:   " + text_at(plugin, "build") +
          ", API " + text_at(plugin, "api_version") + ", ABI " + text_at(plugin, "abi") + "\n";
  return text;
}

}  // namespace troupe::program
