#include "troupe/pipeline/operator_check.h"

#include "troupe/core/nearest_name.h"
#include "troupe/pipeline/param_check.h"
#include "troupe/pipeline/table_keys.h"

#include <algorithm>

namespace troupe::pipeline {
namespace {

std::optional<OperatorKind> kind_named(std::string_view name) {
  const auto found = std::ranges::find(kOperatorKindNames, name);
  if (found == std::end(kOperatorKindNames)) return std::nullopt;
  return static_cast<OperatorKind>(found - std::begin(kOperatorKindNames));
}

const ResolvedKey* find_key(const std::vector<ResolvedKey>& keys, std::string_view key) {
  const auto found = std::ranges::find(keys, key, &ResolvedKey::key);
  return found == keys.end() ? nullptr : &*found;
}

class OperatorChecker {
 public:
  OperatorChecker(const GivenOperator& given, const Catalog& catalog, Diagnostics& diagnostics)
      : given_(given), fields_(given.fields), catalog_(catalog), diagnostics_(diagnostics) {}

  CheckedOperator check() {
    out_.op.name = given_.name;
    out_.op.where = given_.where;
    name_stands_in();
    find_plugin();
    check_fields();
    check_plugin_params();
    return std::move(out_);
  }

 private:
  /// An operator's name says its kind or plugin where the table does not.
  void name_stands_in() {
    const SourceLocation where{"name of the operator", 0, 0};
    const GivenValue name{Value(given_.name), where, where, kDefaultLayer, std::nullopt};
    if (!fields_.find("kind") && kind_named(given_.name)) fields_.give("kind", name);
    if (!fields_.find("plugin")) fields_.give("plugin", name);
  }

  const GivenValue* current(std::string_view field) const {
    const auto* key = fields_.find(field);
    return key && key->values.back().value.is_string() ? &key->values.back() : nullptr;
  }

  void find_plugin() {
    const auto* kind = current("kind");
    const auto known = kind ? kind_named(kind->value.as_string()) : std::nullopt;
    if (!known) return;
    out_.kind_known = true;
    out_.op.kind = *known;
    const auto* plugin = current("plugin");
    if (!plugin) return;
    const auto& name = plugin->value.as_string();
    auto spec = catalog_.find(*known, name);
    if (spec)
      out_.spec = *spec;
    else if (spec.error().code() == ErrorCode::not_found)
      report_no_plugin(*known, *plugin);
    else
      diagnostics_.add(plugin->where, spec.error().message(), {}, {}, spec.error().code());
  }

  void report_no_plugin(OperatorKind kind, const GivenValue& plugin) {
    const auto& name = plugin.value.as_string();
    const auto names = catalog_.names(kind);
    const bool by_name = plugin.layer == kDefaultLayer;
    std::string found =
        "there is no " + std::string(to_string(kind)) + " plugin " + in_quotes(name);
    if (by_name) found = "operator " + in_quotes(name) + " names no plugin, and " + found;
    for (const auto other : kOperatorKindNames)
      if (std::ranges::count(catalog_.names(*kind_named(other)), name) > 0)
        found += ", but a " + std::string(other) + " plugin of that name";
    const std::string expected = names.empty()
                                     ? "a library of that name; no plugin of the kind is installed"
                                     : (by_name ? "plugin = " : "") + one_of(names);
    diagnostics_.add(by_name ? given_.where : plugin.where, found, expected,
                     std::string(nearest_name(name, names)), ErrorCode::not_found);
  }

  void check_fields() {
    ParamOwner owner{"[operators." + given_.name + "]", "key", given_.name + ".", given_.where};
    owner.other_prefix = "params.";
    if (out_.spec)
      for (const auto& param : out_.spec->params)
        owner.other_names.emplace_back(param.name);
    auto checked = check_params(operator_fields(), fields_, owner, diagnostics_);
    const Params fields(std::move(checked.values));
    out_.keys = std::move(checked.keys);
    take_fields(fields);
    check_instances();
    check_placement();
  }

  void take_fields(const Params& fields) {
    auto& op = out_.op;
    if (find_key(out_.keys, given_.name + ".plugin")) op.plugin = fields.get_text("plugin");
    op.instances = fields.get_int("instances");
    op.mailbox = fields.get_int("mailbox");
    op.placement = fields.get_text("placement");
    op.restart = {
        fields.get_text("restart.policy") == "never" ? RestartPolicy::never : RestartPolicy::always,
        fields.get_int("restart.max"), fields.get_int("restart.window_s")};
  }

  SourceLocation where_of(std::string_view field) const {
    return find_key(out_.keys, given_.name + "." + std::string(field))->current().where;
  }

  std::string title() const {
    return std::string(to_string(out_.op.kind)) + " " + in_quotes(out_.op.plugin);
  }

  void check_instances() {
    if (out_.op.instances == 1 || !out_.spec || out_.spec->traits.stateless) return;
    diagnostics_.add(where_of("instances"),
                     "instances = " + std::to_string(out_.op.instances) + " of " + title() +
                         ", which has a state",
                     "1; only stateless plugins may have several");
  }

  void check_placement() {
    if (out_.op.placement == "local") return;
    diagnostics_.add(where_of("placement"),
                     "placement = \"" + out_.op.placement + "\" is not supported by this version",
                     "\"local\"", {}, ErrorCode::unsupported);
  }

  void check_plugin_params() {
    if (!out_.spec) return;
    ParamOwner owner{title(), "parameter", given_.name + ".", given_.where};
    owner.other_prefix = given_.name + ".";
    for (const auto& field : operator_fields())
      if (field.name != "kind" && field.name != "plugin")
        owner.other_names.emplace_back(field.name);
    auto checked = check_params(out_.spec->params, given_.params, owner, diagnostics_);
    out_.op.params = Params(std::move(checked.values));
    for (auto& key : checked.keys) {
      const auto name = key.key.substr(owner.key_prefix.size());
      if (is_operator_key(name)) key.key = owner.key_prefix + "params." + name;
      out_.keys.push_back(std::move(key));
    }
  }

  const GivenOperator& given_;
  GivenTable fields_;
  const Catalog& catalog_;
  Diagnostics& diagnostics_;
  CheckedOperator out_;
};

}  // namespace

CheckedOperator check_operator(const GivenOperator& given, const Catalog& catalog,
                               Diagnostics& diagnostics) {
  return OperatorChecker(given, catalog, diagnostics).check();
}

}  // namespace troupe::pipeline
