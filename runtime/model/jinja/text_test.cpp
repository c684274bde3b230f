#include "troupe/model/jinja/text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace troupe::model::jinja {
namespace {

TEST(Text, MergesNeighbouringTrustedRuns) {
  Text text("ab", true);
  text.append("cd", true);
  text.append("x", false);
  text.append("e", true);
  EXPECT_EQ(text.trusted(), (std::vector<TextSpan>{{0, 4}, {5, 6}}));
}

TEST(Text, HasNoSpanForEmptyPieces) {
  Text text("", true);
  text.append("", true);
  text.append("x", false);
  text.append("", true);
  EXPECT_TRUE(text.trusted().empty());
}

TEST(Text, SlicesKeepTheMarksOfTheirBytes) {
  Text text("ab", true);
  text.append("XY", false);
  text.append("cd", true);
  const Text piece = text.slice(1, 5);
  EXPECT_EQ(piece.bytes(), "bXYc");
  EXPECT_EQ(piece.trusted(), (std::vector<TextSpan>{{0, 1}, {3, 4}}));
}

/// A text and, as the plain oracle, one mark per byte.
struct Marked {
  Text text;
  std::vector<bool> marks;
};

void check(const Marked& value) {
  ASSERT_EQ(value.text.size(), value.marks.size());
  for (std::size_t i = 0; i < value.marks.size(); ++i)
    ASSERT_EQ(value.text.trusted_at(i), value.marks[i]) << i;
  std::size_t end = 0;
  for (const auto& span : value.text.trusted()) {
    ASSERT_LT(span.begin, span.end);
    ASSERT_TRUE(span.begin > end || (span.begin == 0 && end == 0));
    end = span.end;
  }
}

TEST(Text, AgreesWithOneMarkPerByteUnderRandomOperations) {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) { return random() % n; };
  Marked value;
  for (int step = 0; step < 2000; ++step) {
    if (value.text.size() > 60 || below(4) == 0) {
      const auto begin = below(value.text.size() + 1);
      const auto end = begin + below(value.text.size() - begin + 1);
      value.text = value.text.slice(begin, end);
      value.marks = {value.marks.begin() + static_cast<long>(begin),
                     value.marks.begin() + static_cast<long>(end)};
    } else if (below(3) == 0) {
      const Marked copy = value;
      value.text.append(copy.text);
      value.marks.insert(value.marks.end(), copy.marks.begin(), copy.marks.end());
    } else {
      const std::string bytes(below(4), 'x');
      const bool trusted = below(2) == 0;
      value.text.append(bytes, trusted);
      value.marks.insert(value.marks.end(), bytes.size(), trusted);
    }
    check(value);
  }
}

}  // namespace
}  // namespace troupe::model::jinja
