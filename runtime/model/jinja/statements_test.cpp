#include "troupe/model/jinja/statements.h"

#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::model::jinja {
namespace {

using testing::shown;

TEST(ForBlock, ShowsWhereTheLoopIs) {
  EXPECT_EQ(shown("{% for i in 'abc' %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ "
                  "loop.revindex0 }}"
                  "{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.previtem }}{{ "
                  "loop.nextitem }} {% endfor %}"),
            "1032TrueFalse3b 2121FalseFalse3ac 3210FalseTrue3b ");
  EXPECT_EQ(
      shown("{% for i in [1, 1, 2] %}{{ loop.changed(i) }}{{ loop.cycle('a', 'b') }}{% endfor %}"),
      "TrueaFalsebTruea");
}

TEST(ForBlock, CountsOnlyTheItemsItsConditionKeeps) {
  EXPECT_EQ(
      shown("{% for i in [1, 2, 3] if i > 1 %}{{ i }}{{ loop.index }}{{ loop.last }} {% endfor %}"),
      "21False 32True ");
  EXPECT_EQ(shown("{% for i in [1] if i > 1 %}x{% else %}none{% endfor %}"), "none");
}

TEST(ForBlock, UnpacksItems) {
  EXPECT_EQ(shown("{% for a, (b, c) in [[1, [2, 3]]] %}{{ a }}{{ b }}{{ c }}{% endfor %}"), "123");
  EXPECT_EQ(shown("{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{% endfor %}"), "a1");
  EXPECT_EQ(shown("{% for a, b in [[1]] %}{% endfor %}"),
            "error: line 1: not enough values to unpack (expected 2, got 1)");
  EXPECT_EQ(shown("{% for a in 5 %}{% endfor %}"), "error: line 1: 'int' object is not iterable");
}

TEST(ForBlock, BreaksAndContinues) {
  EXPECT_EQ(shown("{% for i in range(9) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 3 "
                  "%}{% break %}"
                  "{% endif %}{{ i }}{% endfor %}"),
            "02");
  EXPECT_EQ(
      shown("{% for i in 'ab' %}{% for j in 'xy' %}{% break %}{% endfor %}{{ i }}{% endfor %}"),
      "ab");
}

TEST(ForBlock, CallsItselfWhenRecursive) {
  EXPECT_EQ(
      shown("{% for x in [1, [2, [3]]] recursive %}{% if x is iterable %}({{ loop(x) }}){% else %}"
            "{{ x }}d{{ loop.depth }}{% endif %}{% endfor %}"),
      "1d1(2d2(3d3))");
  EXPECT_EQ(shown("{% for x in [1] %}{{ loop([1]) }}{% endfor %}"),
            "error: line 1: loop() can be called only in a loop marked {% for ... recursive %}");
}

TEST(ForBlock, KeepsItsVariablesToItself) {
  EXPECT_EQ(
      shown(
          "{% set a = 1 %}{% for i in 'xy' %}{% set a = a + 1 %}{{ a }}{% endfor %}{{ a }}{{ i }}"),
      "221");
  EXPECT_EQ(shown("{% for i in 'ab' %}{% set l = loop %}{% endfor %}{{ l is defined }}"), "False");
  EXPECT_EQ(shown("{% set ns = namespace() %}{% for i in 'ab' %}{% set ns.l = loop %}{% endfor %}"
                  "{{ ns.l.previtem is defined }}{{ ns.l.nextitem is defined }}"),
            "FalseFalse");
}

TEST(SetBlock, AssignsNamesTuplesAndNamespaces) {
  EXPECT_EQ(shown("{% set a, b = 1, 2 %}{{ a }}{{ b }}"), "12");
  EXPECT_EQ(shown("{% set ns = namespace(a=1, b={'c': 2}) %}{% set ns.a = ns.a + 1 %}{{ ns.a }}{{ "
                  "ns.b.c }}{{ ns.z }}"),
            "22");
  EXPECT_EQ(shown("{% set d = {} %}{% set d.x = 1 %}"),
            "error: line 1: cannot assign attribute on non-namespace object");
  EXPECT_EQ(shown("{% if true %}{% set y = 1 %}{% endif %}{{ y }}"), "1");
}

TEST(SetBlock, CapturesAndFiltersItsBody) {
  EXPECT_EQ(shown("{% set q %}a{{ 1 }}{% endset %}[{{ q }}]"), "[a1]");
  EXPECT_EQ(shown("{% set q | upper | trim %} a {% endset %}[{{ q }}]"), "[A]");
  EXPECT_EQ(shown("{% filter replace('a', 'b') | upper %}banana{% endfilter %}"), "BBNBNB");
}

TEST(Macro, BindsItsArguments) {
  const std::string macro = "{% macro m(a, b=2, c=a) %}{{ a }}-{{ b }}-{{ c }}{% endmacro %}";
  EXPECT_EQ(shown(macro + "{{ m(1) }} {{ m(1, c=3) }} {{ m(b=5, a=4) }} {{ m() }}"),
            "1-2-1 1-2-3 4-5-4 -2-");
  EXPECT_EQ(shown(macro + "{{ m(1, 2, 3, 4) }}"),
            "error: line 1: macro 'm' takes not more than 3 argument(s)");
  EXPECT_EQ(shown(macro + "{{ m(z=1) }}"),
            "error: line 1: macro 'm' takes no keyword argument 'z'");
  EXPECT_EQ(shown(macro + "{{ m(1, a=1) }}"),
            "error: line 1: macro 'm' got two values for the argument 'a'");
  EXPECT_EQ(shown("{% macro m(a) %}{{ a.x }}{% endmacro %}{{ m() }}"),
            "error: line 1: parameter 'a' was not provided");
}

TEST(Macro, TakesMoreArgumentsWhenItsBodyNamesThem) {
  EXPECT_EQ(
      shown("{% macro m(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, k=4) }}"),
      "1(2, 3){'k': 4}");
}

TEST(Macro, SeesTheVariablesAroundItsDefinition) {
  EXPECT_EQ(shown("{% set x = 1 %}{% macro m() %}{{ x }}{% endmacro %}{% set x = 2 %}{{ m() }}"),
            "2");
  EXPECT_EQ(shown("{% macro m() %}{{ i }}{% endmacro %}{% for i in 'ab' %}{{ m() }}.{% endfor %}"),
            "..");
  EXPECT_EQ(
      shown("{% set ns = namespace() %}{% for i in 'ab' %}{% macro m() %}{{ i }}{% endmacro %}"
            "{% if loop.first %}{% set ns.m = m %}{% endif %}{% endfor %}{{ ns.m() }}"),
      "a");
}

TEST(Macro, CallsItself) {
  EXPECT_EQ(
      shown(
          "{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}"),
      "3210");
}

TEST(CallBlock, HandsItsBodyToTheMacro) {
  EXPECT_EQ(shown("{% macro m(a) %}<{{ caller(a) }}>{% endmacro %}{% call(q) m(1) %}body {{ q }}{% "
                  "endcall %}"),
            "<body 1>");
  EXPECT_EQ(shown("{% macro m() %}x{% endmacro %}{% call m() %}{% endcall %}"),
            "error: line 1: macro 'm' takes no keyword argument 'caller'");
}

TEST(OtherBlocks, WriteTheirBodiesInAScopeOfTheirOwn) {
  EXPECT_EQ(shown("{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a }}"), "3");
  EXPECT_EQ(shown("{% generation %}x{% set q = 1 %}{% endgeneration %}{{ q }}"), "x");
  EXPECT_EQ(shown("{% block b %}x{% endblock b %}"), "x");
  EXPECT_EQ(shown("{% print 1 + 1 %}"), "2");
}

TEST(IfBlock, TakesTheFirstTrueBranch) {
  const std::string source = "{% if x == 1 %}a{% elif x == 2 %}b{% else %}c{% endif %}";
  EXPECT_EQ(shown(source, {{"x", 1}}), "a");
  EXPECT_EQ(shown(source, {{"x", 2}}), "b");
  EXPECT_EQ(shown(source, {{"x", 3}}), "c");
}

TEST(Faults, NameTheLineWhereTheyHappened) {
  EXPECT_EQ(shown("a\n{% if true %}\n{{ x.y }}\n{% endif %}"), "error: line 3: 'x' is undefined");
}

}  // namespace
}  // namespace troupe::model::jinja
