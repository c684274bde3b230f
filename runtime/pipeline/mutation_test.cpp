// Pipelines with random damage: whatever comes, the check ends with a spec or with diagnostics.
#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace troupe::pipeline {
namespace {

std::string shipped_text(const std::string& file) {
  std::ifstream stream(TROUPE_SOURCE_DIR "/pipelines/" + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::string mutate(std::string text) {
    for (auto count = 1 + below(4); count > 0; --count)
      text = once(std::move(text));
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  std::string once(std::string text) {
    const auto at = below(text.size());
    const auto length = std::min(below(12), text.size() - at);
    switch (below(6)) {
      case 0:
        return text.erase(at, length);
      case 1:
        return text.insert(at, text.substr(below(text.size()), length));
      case 2:
        return text.insert(at, kPieces[below(std::size(kPieces))]);
      case 3:
        return swap_words(std::move(text));
      case 4:
        if (!text.empty()) text[at] = static_cast<char>(random_());
        return text;
      default:
        return text.substr(0, at) + text.substr(std::min(text.size(), text.find('\n', at)));
    }
  }

  /// Puts a word of the text in another one's place.
  std::string swap_words(std::string text) {
    const auto word_at = [&](std::size_t at) {
      const auto in_word = [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); };
      auto end = at;
      while (at > 0 && in_word(text[at - 1]))
        --at;
      while (end < text.size() && in_word(text[end]))
        ++end;
      return std::pair(at, end - at);
    };
    if (text.empty()) return text;
    const auto [from, from_size] = word_at(below(text.size()));
    const auto word = text.substr(from, from_size);
    const auto [to, to_size] = word_at(below(text.size()));
    return text.replace(to, to_size, word);
  }

  static constexpr std::string_view kPieces[] = {"\"",        "[",
                                                 "]",         "{",
                                                 "}",         "=",
                                                 "->",        "<->",
                                                 ",",         ".",
                                                 "\n",        "#",
                                                 "'''",       "\\u00",
                                                 "-1",        "1e999",
                                                 "model.a",   "guard",
                                                 "0x",        "true",
                                                 "[model]\n", "99999999999999999999",
                                                 "\xff",      "1979-05-27"};

  std::mt19937 random_;
};

void expect_an_answer(const std::string& text, const Overrides& overrides) {
  static const testing::FakeCatalog catalog;
  const auto checked = check_pipeline({text, "mutant.toml"}, overrides, catalog);
  EXPECT_EQ(checked.spec.has_value(), checked.diagnostics.empty()) << text;
  for (const auto& diagnostic : checked.diagnostics.sorted()) {
    EXPECT_FALSE(diagnostic.found.empty()) << text;
    EXPECT_FALSE(diagnostic.where.file.empty()) << diagnostic.text();
    if (diagnostic.where.file == "mutant.toml") {
      EXPECT_GT(diagnostic.where.line, 0u) << diagnostic.text();
    }
  }
}

TEST(DamagedPipelines, AlwaysGetASpecOrDiagnosticsWithAPlace) {
  std::uint32_t seed = 0;
  for (const auto& file : testing::kShippedPipelines) {
    const auto text = shipped_text(file);
    for (int i = 0; i < 400; ++i)
      expect_an_answer(Mutator(seed++).mutate(text), {});
  }
}

TEST(DamagedPipelines, RandomOnesToo) {
  for (std::uint32_t seed = 0; seed < 800; ++seed)
    expect_an_answer(Mutator(seed).mutate(testing::random_pipeline(seed % 50)), {});
}

TEST(DamagedOverrides, AlwaysGetASpecOrDiagnostics) {
  const auto text = shipped_text("chat.toml");
  const std::string assignments =
      "scheduler.max_batch_tokens=512;model.default.path=\"a;b\";client.restart={max = 3};"
      "sampler.params.floor=0.5;operators.executor.params.device=cpu";
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    const auto damaged = Mutator(seed).mutate(assignments);
    expect_an_answer(text, {{}, damaged, {damaged.substr(0, damaged.find(';'))}, ""});
  }
}

}  // namespace
}  // namespace troupe::pipeline
