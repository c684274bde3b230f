#include "troupe/pipeline/explain.h"

#include "troupe/core/nearest_name.h"
#include "troupe/pipeline/diagnostics.h"
#include "troupe/pipeline/given_values.h"
#include "troupe/pipeline/table_keys.h"
#include "troupe/pipeline/toml_source.h"

#include <algorithm>
#include <vector>

namespace troupe::pipeline {
namespace {

/// The form in which keys are kept: "a.params.b" is "a.b" unless b is a key of every operator.
std::string short_form(std::string_view key) {
  constexpr std::string_view kOperators = "operators.";
  constexpr std::string_view kParams = ".params.";
  if (key.starts_with(kOperators)) key.remove_prefix(kOperators.size());
  const auto at = key.find(kParams);
  if (at == key.npos || is_operator_key(key.substr(at + kParams.size()))) return std::string(key);
  return std::string(key.substr(0, at + 1)) + std::string(key.substr(at + kParams.size()));
}

std::string origin_text(const Setting& setting) {
  if (setting.layer == kDefaultLayer) return setting.where.text();
  return setting.where.text() + " (" + setting.layer + ")";
}

std::string line(std::string_view title, std::string_view text) {
  std::string out = "  " + std::string(title);
  out.resize(14, ' ');
  return out + std::string(text) + "\n";
}

}  // namespace

Result<const ResolvedKey*> find_key(const PipelineSpec& spec, std::string_view key) {
  const auto wanted = short_form(key);
  std::vector<std::string> names;
  for (const auto& known : spec.keys) {
    if (known.key == wanted) return &known;
    names.push_back(known.key);
  }
  Diagnostics diagnostics;
  diagnostics.add({spec.source, 0, 0}, "there is no key " + in_quotes(key),
                  "OPERATOR.PARAMETER, OPERATOR.KEY or model.NAME.KEY",
                  std::string(nearest_name(wanted, names)), ErrorCode::not_found);
  return fail(diagnostics.to_error());
}

std::string explain_text(const ResolvedKey& key) {
  std::string text = key.key + " = " + to_toml(key.current().value) + "\n";
  text += line("from", origin_text(key.current()));
  std::string title = "overrides";
  for (auto one = key.history.rbegin() + 1; one != key.history.rend(); ++one) {
    text += line(title, to_toml(one->value) + " from " + origin_text(*one));
    title.clear();
  }
  text += line("type", key.type + (key.unit.empty() ? "" : ", in " + key.unit));
  if (!key.range.empty()) text += line("range", key.range);
  text += line("default", key.default_value.empty() ? "none: it must be given" : key.default_value);
  if (!key.help.empty()) text += line("help", key.help);
  return text;
}

Value explain_value(const ResolvedKey& key) {
  Value::Array overridden;
  for (auto one = key.history.rbegin() + 1; one != key.history.rend(); ++one)
    overridden.push_back(Value(Value::Object{{"value", one->value},
                                             {"layer", Value(one->layer)},
                                             {"origin", Value(one->where.text())}}));
  return Value(Value::Object{{"key", Value(key.key)},
                             {"value", key.current().value},
                             {"layer", Value(key.current().layer)},
                             {"origin", Value(key.current().where.text())},
                             {"overridden", Value(std::move(overridden))},
                             {"type", Value(key.type)},
                             {"unit", Value(key.unit)},
                             {"range", Value(key.range)},
                             {"default", Value(key.default_value)},
                             {"help", Value(key.help)}});
}

std::string precedence_text() {
  return "A value of a later line goes before one of an earlier line:\n"
         "  default      what the plugin or the runtime declares\n"
         "  pipeline     the tables of the pipeline file\n"
         "  config       --config FILE, in their order: values only\n"
         "  environment  TROUPE_SET=\"scheduler.max_batch_tokens=4096; client.mailbox=64\"\n"
         "  flag         --model PATH, then --set key=value, in their order\n";
}

}  // namespace troupe::pipeline
