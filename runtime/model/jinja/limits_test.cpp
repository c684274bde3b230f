// Templates and requests that would cost without end, each stopped by a limit.
#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace troupe::model::jinja {
namespace {

using testing::input_with;
using testing::render;
using testing::shown;

const Value::Object kBig = {{"big", Value(std::string(1'000'000, 'a'))}};

TEST(Limits, StopEveryTemplateThatCostsTooMuch) {
  const char* kTemplates[] = {
      "{% for i in range(10**9) %}x{% endfor %}",
      "{% for i in range(99999) %}{% for j in range(99999) %}{{ i }}{% endfor %}{% endfor %}",
      "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
      "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% "
      "endfor %}",
      "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% "
      "endfor %}",
      "{% set ns = namespace(s='xx') %}{% for i in range(99) %}{% set ns.s = ns.s|replace('x', "
      "ns.s) %}{% endfor %}",
      "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = [ns.s, ns.s]|join %}{% "
      "endfor %}",
      "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = '%s%s' % (ns.s, ns.s) "
      "%}{% endfor %}",
      "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = '{0}{0}'.format(ns.s) "
      "%}{% endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% "
      "endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}{% "
      "endfor %}{{ ns.l }}",
      "{% set ns = namespace(l=[1], m=[1]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}"
      "{% set ns.m = [ns.m, ns.m] %}{% endfor %}{{ ns.l == ns.m }}",
      "{% set ns = namespace(l={}) %}{% for i in range(99999) %}{% set ns.l = {'a': ns.l} %}{% "
      "endfor %}{{ ns.l|tojson }}",
      "{{ 'x' * 10**12 }}",
      "{{ [1] * 10**12 }}",
      "{{ 'x'.center(10**12) }}",
      "{{ 'x'.zfill(10**12) }}",
      "{{ '%999999999d' % 1 }}",
      "{{ '{:>999999999}'.format(1) }}",
      "{{ 'x'|center(10**12) }}",
      "{{ ('\\n' * 10**6)|indent(10**4) }}",
      "{{ [1]|batch(10**12, 0)|list }}",
      "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
      "{% macro m(n) %}{{ m(n ~ n) }}{% endmacro %}{{ m('x') }}",
      "{% macro m() %}{{ m() ~ m() }}{% endmacro %}{{ m() }}",
      "{% macro a() %}{{ caller() }}{% endmacro %}{% macro b() %}{% call a() %}{{ b() }}{% endcall "
      "%}{% endmacro %}{{ b() }}",
      "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
      "{% set ns = namespace() %}{% set ns.n = ns %}{% set ns.l = [ns] %}{{ ns }}",
      "{% for i in range(99999) %}{{ big }}{% endfor %}",
      "{% for i in range(99999) %}{% set x = big|upper %}{% endfor %}",
      "{% for i in range(99999) %}{% set x = big|length %}{% endfor %}",
      "{% for i in range(99999) %}{% set x = big.split('a') %}{% endfor %}",
      "{% for i in range(99999) %}{% set x = big|list|sort|unique|list %}{% endfor %}",
      "{% for i in range(99999) %}{% set x = big.find('b') %}{% endfor %}",
      "{% for i in range(99999) %}{% set x = big.count('b') %}{% endfor %}",
      "{% for i in range(99999) %}{% set x = 'b' in big %}{% endfor %}",
      "{% for i in range(99999) %}{% set x = big == big ~ '' %}{% endfor %}",
      "{% for i in range(99999) %}{% set x = big|trim('bc') %}{% endfor %}",
      "{% for i in range(99999) %}{% set x = big|int %}{% endfor %}",
      "{% for i in range(99999) %}{% set x = {big: 1}[big ~ ''] %}{% endfor %}",
      "{% for i in range(99999) %}{% set x = big|trim|trim|trim|trim %}{% endfor %}",
  };
  for (const std::string source : kTemplates) {
    auto input = input_with(kBig);
    input.limits.steps = 400'000;  // a twentieth of the default, to keep the test short
    const auto begin = std::clock();
    const auto prompt = render(source, input);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    ASSERT_FALSE(prompt) << source;
    EXPECT_EQ(prompt.error().code(), ErrorCode::invalid_argument);
    EXPECT_LT(seconds, 2.0) << source;  // about 0.05 of processor time; sanitizers are slow
  }
}

TEST(Limits, SayWhichOneWasReached) {
  EXPECT_EQ(
      shown("{{ range(10**9) }}"),
      "error: line 1: Range too big. A template may not use a range of more than 100000 numbers");
  EXPECT_EQ(
      shown("{{ 'x' * 10**9 }}"),
      "error: line 1: the chat template built a text of 1000000000 bytes; the limit is 33554432");
  EXPECT_EQ(shown("{% macro m() %}{{ m() }}{% endmacro %}\n{{ m() }}"),
            "error: line 1: the chat template is nested deeper than 800 levels: does a macro call "
            "itself without end?");
  EXPECT_EQ(input_with({}).limits.steps, 8'000'000u);
  auto input = input_with({});
  input.limits.steps = 40'000;  // the default takes seconds under sanitizers
  const auto endless = render(
      "{% set l = range(999) %}{% for i in range(99999) %}{% for j in l %}{% endfor "
      "%}{% endfor %}",
      input);
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().message(), "line 1: the chat template did not end within 40000 steps");
}

TEST(Limits, CanBeSetByTheCaller) {
  auto input = input_with({});
  input.limits.steps = 10;
  EXPECT_FALSE(render("{% for i in range(10) %}x{% endfor %}", input));
  input = input_with({});
  input.limits.text_bytes = 5;
  EXPECT_FALSE(render("abcdef", input));
  EXPECT_TRUE(render("abcde", input));
  input.limits.text_bytes = 1000;
  input.limits.memory_bytes = 500;
  EXPECT_FALSE(render(
      "{% set a = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20] %}",
      input));
}

TEST(Limits, LeaveRoomForLongConversations) {
  Value::Array messages;
  for (int i = 0; i < 2000; ++i)
    messages.push_back(
        Value::Object{{"role", i % 2 ? "assistant" : "user"}, {"content", std::string(2000, 'w')}});
  const auto prompt = render(
      "{% set ns = namespace(s='') %}{% for m in messages %}{% if m.role == 'user' or loop.last %}"
      "{% set ns.s = ns.s ~ '<|' ~ m.role ~ '|>' ~ m.content|trim %}{% endif %}{% endfor %}{{ ns.s "
      "}}",
      input_with({{"messages", messages}}));
  ASSERT_TRUE(prompt) << prompt.error().message();
  EXPECT_EQ(prompt->text.size(), 1001u * 2000 + 1000 * 8 + 13);
}

TEST(Limits, LeaveRoomForDeepSchemas) {
  Value schema("leaf");
  for (int i = 0; i < 40; ++i)
    schema = Value(Value::Object{{"a", schema}});
  EXPECT_EQ(shown("{% macro walk(x) %}{% if x is mapping %}{% for k, v in x.items() %}{{ k ~ ':' ~ "
                  "walk(v) }}{% endfor %}"
                  "{% else %}{{ x }}{% endif %}{% endmacro %}{{ walk(schema) }}",
                  {{"schema", schema}})
                .size(),
            84u);
}

TEST(Limits, RefuseRequestsNestedTooDeep) {
  Value deep(1);
  for (int i = 0; i < 200; ++i)
    deep = Value(Value::Array{deep});
  EXPECT_EQ(shown("{{ x }}", {{"x", deep}}),
            "error: the request's data is nested deeper than 100 levels");
}

}  // namespace
}  // namespace troupe::model::jinja
