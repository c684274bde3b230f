#include "troupe/testing/conformance.h"

#include "troupe/core/param_check.h"
#include "troupe/testing/conformance_kinds.h"

#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace troupe::testing {
namespace {

bool is_snake_case(std::string_view name) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

void check_param_spec(const ParamSpec& spec) {
  EXPECT_TRUE(is_snake_case(spec.name)) << "the parameter's name is " << spec.name;
  EXPECT_GE(spec.help.size(), 5u) << spec.name << ": its help says nothing";
  EXPECT_LE(spec.min, spec.max) << spec.name;
  const bool numeric = spec.type == ParamType::integer || spec.type == ParamType::number;
  if (!numeric) {
    EXPECT_TRUE(std::isinf(spec.min) && std::isinf(spec.max))
        << spec.name << ": a range of no number";
  }
  if (spec.type != ParamType::text) {
    EXPECT_TRUE(spec.choices.empty()) << spec.name << ": choices are for texts";
  }
  if (!spec.default_value.empty()) {
    const auto value = parse_default(spec);
    ASSERT_TRUE(value) << value.error().message();
    const auto good = check_param(spec, *value);
    EXPECT_TRUE(good) << good.error().message();
  }
}

/// Values that a parameter must take: the ends of a finite range, all choices.
std::vector<Value> good_values(const ParamSpec& spec) {
  std::vector<Value> values;
  for (const double end : {spec.min, spec.max}) {
    if (spec.type == ParamType::number && std::isfinite(end)) values.emplace_back(end);
    if (spec.type == ParamType::integer && std::abs(end) < 9e18)
      values.emplace_back(static_cast<std::int64_t>(end));
  }
  std::string_view rest = spec.choices;
  while (!rest.empty()) {
    const auto bar = rest.find('|');
    values.emplace_back(std::string(rest.substr(0, bar)));
    rest = bar == rest.npos ? std::string_view() : rest.substr(bar + 1);
  }
  if (spec.type == ParamType::boolean) values = {Value(true), Value(false)};
  return values;
}

std::vector<Value> bad_values(const ParamSpec& spec) {
  std::vector<Value> values{Value(nullptr), Value(Value::Object{})};
  if (spec.type != ParamType::text) values.emplace_back("text");
  if (spec.type != ParamType::boolean) values.emplace_back(true);
  if (spec.type == ParamType::integer) values.emplace_back(1.5);
  if (spec.type == ParamType::text_list) values.emplace_back(Value::Array{Value(1)});
  if (!spec.choices.empty()) values.emplace_back("no such choice");
  if (std::isfinite(spec.min)) values.emplace_back(spec.min - 1);
  if (std::isfinite(spec.max)) values.emplace_back(spec.max * 2 + 1);
  return values;
}

Value::Object with(Value::Object params, std::string_view name, Value value) {
  Value all(std::move(params));
  all.set(name, std::move(value));
  return all.as_object();
}

}  // namespace

void check_descriptor(const PluginDescriptor& plugin) {
  ASSERT_NE(plugin.identity, nullptr);
  ASSERT_NE(plugin.spec, nullptr);
  const auto& spec = *plugin.spec;
  EXPECT_TRUE(is_snake_case(spec.name)) << spec.name;
  EXPECT_EQ(std::memcmp(plugin.identity->magic, "TROUPE\0\1", 8), 0);
  EXPECT_EQ(plugin.identity->name, spec.name) << "the name is cut off in the identity";
  EXPECT_EQ(plugin.identity->kind, to_string(spec.kind));
  EXPECT_EQ(plugin.identity->api_version, kApiVersion);
  EXPECT_GE(spec.summary.size(), 10u) << "the summary says nothing";
  EXPECT_EQ(spec.summary.find('\n'), spec.summary.npos) << "the summary is one line";
  ASSERT_NE(spec.create, nullptr);
  std::set<std::string_view> names;
  for (const auto& param : spec.params) {
    check_param_spec(param);
    EXPECT_TRUE(names.insert(param.name).second) << param.name << " is declared twice";
  }
}

std::unique_ptr<Operator> make_configured(const PluginDescriptor& plugin,
                                          const Value::Object& params) {
  std::unique_ptr<Operator> op(plugin.spec->create());
  auto complete = complete_params(plugin.spec->params, params);
  if (!complete) {
    ADD_FAILURE() << complete.error().message();
    return nullptr;
  }
  if (auto configured = op->configure(*complete); !configured) {
    ADD_FAILURE() << configured.error().message();
    return nullptr;
  }
  return op;
}

void check_defaults(const PluginDescriptor& plugin, const ConformanceSetup& setup) {
  EXPECT_NE(make_configured(plugin, setup.params), nullptr);
}

void check_round_trip(const PluginDescriptor& plugin, const ConformanceSetup& setup) {
  for (const auto& spec : plugin.spec->params)
    for (const auto& value : good_values(spec)) {
      const auto params = with(setup.params, spec.name, value);
      const auto complete = complete_params(plugin.spec->params, params);
      ASSERT_TRUE(complete) << complete.error().message();
      const Value all(complete->values());
      EXPECT_EQ(*all.find(spec.name), value) << spec.name;
      // An operator may refuse a value in company of others, but never throws.
      const std::unique_ptr<Operator> op(plugin.spec->create());
      EXPECT_NO_THROW(static_cast<void>(op->configure(*complete))) << spec.name;
    }
}

void check_refusals(const PluginDescriptor& plugin, const ConformanceSetup& setup) {
  for (const auto& spec : plugin.spec->params)
    for (const auto& value : bad_values(spec))
      EXPECT_FALSE(complete_params(plugin.spec->params, with(setup.params, spec.name, value)))
          << spec.name << " took a " << value.type_name();
  EXPECT_FALSE(
      complete_params(plugin.spec->params, with(setup.params, "no_such_parameter", Value(1))));
}

void check_life_cycle(const PluginDescriptor& plugin, const ConformanceSetup& setup) {
  {
    const std::unique_ptr<Operator> untouched(plugin.spec->create());
    ASSERT_NE(untouched, nullptr);
  }
  {
    const std::unique_ptr<Operator> op(plugin.spec->create());
    op->stop();
  }
  const auto op = make_configured(plugin, setup.params);
  ASSERT_NE(op, nullptr);
  op->stop();
  const auto resources = setup.resources();
  if (!resources) GTEST_SKIP() << "the test data of this plugin is absent";
  const auto started = make_configured(plugin, setup.params);
  const auto result = started->start(*resources);
  ASSERT_TRUE(result) << result.error().message();
  started->stop();
}

void check_kind(const PluginDescriptor& plugin, const ConformanceSetup& setup) {
  const auto resources = setup.resources();
  if (!resources) GTEST_SKIP() << "the test data of this plugin is absent";
  const auto make = [&]() -> std::unique_ptr<Operator> {
    auto op = make_configured(plugin, setup.params);
    if (!op) return nullptr;
    if (auto started = op->start(*resources); !started) {
      ADD_FAILURE() << started.error().message();
      return nullptr;
    }
    return op;
  };
  switch (plugin.spec->kind) {
    case OperatorKind::sampler:
      return check_sampler(make);
    case OperatorKind::kv_cache:
      return check_kv_cache(make);
    case OperatorKind::scheduler:
      return check_scheduler(make, *resources);
    case OperatorKind::tokenizer:
      return check_tokenizer(make);
    case OperatorKind::executor:
      return check_executor(make);
    case OperatorKind::stage:
      return check_stage(make);
    case OperatorKind::router:
      return check_router(make);
    case OperatorKind::ingress:
    case OperatorKind::drafter:
    case OperatorKind::communicator:
      EXPECT_NE(make(), nullptr);  // nothing to promise beyond its life cycle
  }
}

}  // namespace troupe::testing
