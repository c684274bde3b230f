// Templates broken at random must give a prompt or an error, and end.
#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace troupe::model::jinja {
namespace {

/// Between them these use every tag and most kinds of expression.
constexpr std::array<std::string_view, 4> kTemplates = {
    R"({%- macro show(m, last=false) -%}<|{{ m.role }}|>{{ m['content'] | trim }}{{ '' if last else '\n' }}
{%- endmacro -%}
{{ bos_token }}{% for m in messages if m.role != 'x' %}{%- if loop.index0 % 2 == 1 and not loop.first -%}
{{ show(m, last=loop.last) }}{% elif m.tool_calls is defined %}{% continue %}{% else %}
{{- raise_exception('no') if m.content == 'boom' else show(m) -}}{% endif %}{% else %}none{% endfor -%}
{% if add_generation_prompt %}<|assistant|>{% endif %})",
    R"({% set ns = namespace(i=0, s='', d={'a': [1, 2.5, none]}) %}{% for k, v in ns.d.items() %}
{% set ns.s = ns.s ~ k ~ v|tojson(indent=2) %}{% endfor %}{% set t | upper %}{{ ns.s[::-1][1:-2] }}{% endset %}
{{ t.split('\n')|map('trim')|select|join(', ') }}{% filter indent(2) %}{{ '%s-%05.1f' % ('a', 2) }}
{{ '{:>4}{b!r}'.format(1, b='x') }}{% endfilter %}{% with a = 1 %}{{ -a ** 2 // 3 }}{% endwith %})",
    R"({% macro box() %}[{{ caller(1) }}]{{ varargs }}{{ kwargs }}{% endmacro %}{% call(x) box(2, k=3) %}{{ x }}
{% endcall %}{% for x in [1, [2, [3]]] recursive %}{{ loop(x) if x is iterable else x }}{% endfor %}
{% raw %}{{ {% }}{% endraw %}{# c #}{% generation %}{{ strftime_now('%d') }}{% endgeneration %}{% block b %}b
{% endblock %}{% print 1 %})",
    R"({{ messages|map(attribute='role')|unique|sort|list }}{{ messages|selectattr('role', 'equalto', 'user')|first }}
{{ messages|groupby('role') }}{{ {'b': 1, 'a': 2}|dictsort }}{{ range(3)|batch(2)|list }}{{ 'a,b'|replace(',', ';') }}
{{ [3, 1]|sort|first is gt 0 }}{{ 'x' in 'xyz' and 1 not in [2] }}{{ (1, 2)[0] + 3 if true }}{{ missing|default('d') }})",
};

constexpr std::string_view kPieces[] = {"{{",
                                        "}}",
                                        "{%",
                                        "%}",
                                        "{#",
                                        "#}",
                                        "-%}",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        "'",
                                        "\"",
                                        "|",
                                        "~",
                                        "+",
                                        "**",
                                        "-",
                                        ".",
                                        ",",
                                        ":",
                                        "=",
                                        "\\",
                                        "\n",
                                        "\xFF",
                                        "é",
                                        "1",
                                        "99999999",
                                        " is ",
                                        " in ",
                                        " not ",
                                        " if ",
                                        " else ",
                                        "loop",
                                        "range",
                                        "caller",
                                        "|list",
                                        "|join",
                                        "none",
                                        "messages",
                                        "{% endif %}",
                                        "{% endfor %}",
                                        "{% for x in range(9) %}",
                                        "|tojson",
                                        "namespace",
                                        "[::-1]",
                                        ".items()",
                                        "|length",
                                        "%s",
                                        "0",
                                        "\0"};

std::string mutate(std::string text, std::mt19937& random) {
  const auto below = [&random](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (auto edits = 1 + below(4); edits > 0; --edits) {
    const auto at = below(text.size() + 1);
    const auto size = below(std::min<std::size_t>(text.size() - at, 12) + 1);
    switch (below(4)) {
      case 0:
        text.erase(at, size);
        break;
      case 1:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 2:
        text.insert(below(text.size() + 1), text.substr(at, size));
        break;
      default:
        text.replace(at, size, kPieces[below(std::size(kPieces))]);
        break;
    }
  }
  return text;
}

void expect_sound(const RenderedPrompt& prompt) {
  std::size_t end = 0;
  for (const auto& span : prompt.trusted) {
    ASSERT_TRUE(span.begin > end || (end == 0 && span.begin == 0));
    ASSERT_LT(span.begin, span.end);
    end = span.end;
  }
  ASSERT_LE(end, prompt.text.size());
}

TEST(Mutation, EveryBrokenTemplateGivesAPromptOrAnError) {
  std::mt19937 random(20260115);
  auto input = testing::input_with(
      {{"messages", Value::Array{Value::Object{{"role", "user"}, {"content", " hé\xF0\x9F "}},
                                 Value::Object{{"role", "tool"}, {"content", "boom"}}}}});
  input.limits.steps = 100'000;
  int rendered = 0;
  for (int round = 0; round < 8000; ++round) {
    const auto source = mutate(
        std::string(kTemplates[static_cast<std::size_t>(round) % kTemplates.size()]), random);
    const auto prompt = testing::render(source, input);
    if (prompt) {
      ++rendered;
      expect_sound(*prompt);
    } else {
      ASSERT_EQ(prompt.error().code(), ErrorCode::invalid_argument) << source;
      ASSERT_FALSE(prompt.error().message().empty()) << source;
    }
  }
  // Neither all nor none: the mutations reach the parser and the evaluation.
  EXPECT_GT(rendered, 300);
  EXPECT_LT(rendered, 7500);
}

TEST(Mutation, TheUnbrokenTemplatesRender) {
  for (const auto source : kTemplates) {
    const auto prompt = testing::render(source, testing::input_with({}));
    EXPECT_TRUE(prompt) << prompt.error().message();
  }
}

}  // namespace
}  // namespace troupe::model::jinja
