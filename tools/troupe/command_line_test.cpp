#include "command.h"
#include "completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace troupe::program {
namespace {

using ::testing::HasSubstr;

/// The words of a line as a shell makes them: quotes, and no redirections.
std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool any = false;
  for (const char c : line) {
    if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      any = true;
    } else if (c == ' ') {
      if (any || !word.empty()) words.push_back(std::exchange(word, {}));
      any = false;
    } else if (c == '<' || c == '>' || c == '|') {
      break;
    } else {
      word += c;
    }
  }
  if (any || !word.empty()) words.push_back(word);
  return words;
}

void collect_examples(const CommandLine& command, std::vector<std::string>& lines) {
  for (const auto& example : command.examples())
    lines.push_back(example.line);
  for (const auto& next : command.commands())
    collect_examples(*next, lines);
}

void expect_described(const CommandLine& command) {
  for (const auto& next : command.commands()) {
    EXPECT_FALSE(next->summary().empty()) << next->name();
    if (next->commands().empty()) {
      EXPECT_TRUE(next->run()) << next->name();
      EXPECT_FALSE(next->examples().empty()) << next->name();
    }
    expect_described(*next);
  }
}

TEST(Commands, EachHasASummaryAnExampleAndSomethingToRun) {
  Program program("troupe", "");
  add_commands(program.commands());
  EXPECT_EQ(program.commands().commands().size(), 16u);
  expect_described(program.commands());
}

TEST(Commands, EveryExampleOfTheHelpPagesParses) {
  Program program("troupe", "");
  add_commands(program.commands());
  std::vector<std::string> lines;
  collect_examples(program.commands(), lines);
  ASSERT_GT(lines.size(), 20u);
  for (const auto& line : lines) {
    if (line.starts_with("source ")) continue;  // the shell's own command
    auto words = shell_words(line);
    ASSERT_EQ(words.front(), "troupe") << line;
    words.erase(words.begin());
    Program fresh("troupe", "");
    add_commands(fresh.commands());
    const auto parsed = fresh.parse(words);
    ASSERT_TRUE(parsed) << line << "\n" << parsed.error().message();
    EXPECT_EQ(parsed->help, "") << line;
  }
}

/// A program with one command that has an option of every type.
struct Parsing : ::testing::Test {
  Parsing() : program("p", "") {
    auto& command = program.commands().command("go", "goes");
    command.option("--text T", text, "");
    command.option("--maybe T", maybe, "");
    command.option("--list T", list, "");
    command.option("--big N", big, "");
    command.option("--small N", small, "");
    command.option("--seed N", seed, "");
    command.option("--ratio X", ratio, "");
    command.flag("--flag", flag, "");
    command.argument("FILE", file, "");
    command.run([] { return Outcome(kDone); });
  }
  Result<Program::Parsed> parse(std::vector<std::string> words) {
    words.insert(words.begin(), "go");
    return program.parse(words);
  }
  std::string error_of(const std::vector<std::string>& words) {
    const auto parsed = parse(words);
    return parsed ? "" : parsed.error().message();
  }

  Program program;
  std::string text = "default", file;
  std::optional<std::string> maybe;
  std::vector<std::string> list;
  std::int64_t big = 0;
  std::int32_t small = 0;
  std::optional<std::uint64_t> seed;
  float ratio = 0;
  bool flag = false;
};

TEST_F(Parsing, TakesValuesAfterASpaceAndAfterAnEqualsSign) {
  ASSERT_TRUE(parse({"--text", "a b", "--big=-9000000000", "--small", "-1", "--ratio=0.25", "x"}));
  EXPECT_EQ(text, "a b");
  EXPECT_EQ(big, -9000000000);
  EXPECT_EQ(small, -1);
  EXPECT_EQ(ratio, 0.25f);
  EXPECT_EQ(file, "x");
}

TEST_F(Parsing, AbsentOptionsLeaveTheirTargetsAlone) {
  ASSERT_TRUE(parse({}));
  EXPECT_EQ(text, "default");
  EXPECT_FALSE(maybe);
  EXPECT_FALSE(seed);
  EXPECT_FALSE(flag);
}

TEST_F(Parsing, AnEmptyValueIsAValueInBothForms) {
  ASSERT_TRUE(parse({"--text=", "--maybe", "", "--flag"}));
  EXPECT_EQ(text, "");
  EXPECT_EQ(maybe, "");
  EXPECT_TRUE(flag);
}

TEST_F(Parsing, AnOptionOfAListTakesOneValueEachTime) {
  ASSERT_TRUE(parse({"--list", "[a,b]", "--list", "{}", "--list=", "x"}));
  EXPECT_EQ(list, (std::vector<std::string>{"[a,b]", "{}", ""}));
  EXPECT_EQ(file, "x");
}

TEST_F(Parsing, AValueMayLookLikeAnOption) {
  ASSERT_TRUE(parse({"--text", "--flag"}));
  EXPECT_EQ(text, "--flag");
  EXPECT_FALSE(flag);
}

TEST_F(Parsing, TheLargestSeedFits) {
  ASSERT_TRUE(parse({"--seed", "18446744073709551615"}));
  EXPECT_EQ(seed, 18446744073709551615u);
}

TEST_F(Parsing, NumbersOutOfRangeOrMisspeltAreRefused) {
  EXPECT_THAT(error_of({"--small", "2147483648"}), HasSubstr("found '2147483648'"));
  EXPECT_THAT(error_of({"--seed", "1e3"}), HasSubstr("a whole number of 0 or more"));
  EXPECT_THAT(error_of({"--ratio", "0.5x"}), HasSubstr("expected a number"));
}

TEST_F(Parsing, MistakesNameTheCommandWhoseHelpHelps) {
  EXPECT_THAT(error_of({"--tex", "1"}), HasSubstr("did you mean '--text'?\nsee 'p go --help'"));
}

TEST_F(Parsing, HelpIsNoError) {
  const auto parsed = parse({"--help"});
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->help, HasSubstr("--ratio X=0"));
}

TEST(Completion, NamesEveryCommandAndOption) {
  Program program("troupe", "");
  add_commands(program.commands());
  const auto script = bash_completion(program.commands());
  for (const auto* part : {"'model info'", "'bench step-overhead'", "--max-tokens", "model|bench",
                           "choices=\"dot svg mermaid json\""})
    EXPECT_THAT(script, HasSubstr(part));
}

}  // namespace
}  // namespace troupe::program
