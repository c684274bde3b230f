#include "golden_logits.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace troupe::golden {
namespace {

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Two prompts of 2 and 1 tokens, vocabulary 5, head 2, tail 1.
std::string tiny_fixture() {
  std::string bytes = "TROUPEL1";
  for (const std::uint32_t count : {5u, 2u, 3u, 2u, 1u})
    put(bytes, count);
  put(bytes, std::uint32_t{2});
  for (const std::uint16_t id : {4, 1})
    put(bytes, id);
  put(bytes, std::uint32_t{1});
  put(bytes, std::uint16_t{3});
  for (std::uint32_t position = 0; position < 3; ++position) {
    put(bytes, 2.5 + position);
    put(bytes, 0.25);
    for (const std::uint16_t id : {2, 0})
      put(bytes, id);
    for (const float logit : {1.5f, 1.0f})
      put(bytes, logit);
    put(bytes, std::uint16_t{4});
    put(bytes, -3.0f);
    for (std::uint32_t id = position; id < 5; id += 3)
      put(bytes, static_cast<float>(id));
  }
  return bytes;
}

TEST(GoldenLogits, ReadsEveryFieldOfAHandMadeFixture) {
  const auto golden = parse_golden_logits(tiny_fixture());
  ASSERT_TRUE(golden) << golden.error().message();
  EXPECT_EQ(golden->vocab_size, 5);
  ASSERT_EQ(golden->prompts.size(), 2u);
  EXPECT_EQ(golden->prompts[0].ids, (std::vector<TokenId>{4, 1}));
  EXPECT_EQ(golden->prompts[1].ids, (std::vector<TokenId>{3}));
  const LogitsSketch& last = golden->prompts[1].positions.at(0);
  EXPECT_EQ(last.logsumexp, 4.5);
  EXPECT_EQ(last.rest_mass, 0.25);
  EXPECT_EQ(last.head.ids, (std::vector<TokenId>{2, 0}));
  EXPECT_EQ(last.head.logits, (std::vector<float>{1.5f, 1.0f}));
  EXPECT_EQ(last.tail.ids, (std::vector<TokenId>{4}));
  EXPECT_EQ(last.tail.logits, (std::vector<float>{-3.0f}));
  EXPECT_EQ(last.sweep.ids, (std::vector<TokenId>{2}));
  EXPECT_EQ(golden->prompts[0].positions[1].sweep.ids, (std::vector<TokenId>{1, 4}));
  EXPECT_EQ(golden->prompts[0].positions[1].sweep.logits, (std::vector<float>{1.0f, 4.0f}));
}

TEST(GoldenLogits, RefusesAFixtureThatIsCutAnywhere) {
  const std::string whole = tiny_fixture();
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(parse_golden_logits(whole.substr(0, length))) << length;
}

TEST(GoldenLogits, RefusesBytesAfterTheEnd) {
  const auto golden = parse_golden_logits(tiny_fixture() + "x");
  ASSERT_FALSE(golden);
  EXPECT_EQ(golden.error().message(), "1 bytes too many");
}

TEST(GoldenLogits, RefusesAnotherMagicAndSaysWhichItExpected) {
  std::string bytes = tiny_fixture();
  bytes[7] = '2';
  EXPECT_EQ(parse_golden_logits(bytes).error().message(),
            "not a logits fixture: expected to begin with TROUPEL1");
}

TEST(GoldenLogits, RefusesHeaderCountsThatWouldAllocateOrLoopWithoutEnd) {
  for (std::size_t field = 0; field < 5; ++field) {
    for (const std::uint32_t value : {0xFFFFFFFFu, 0u}) {
      if (field == 4 && value == 0) continue;  // a tail may be empty; the length then shows it
      std::string bytes = tiny_fixture();
      std::memcpy(bytes.data() + 8 + 4 * field, &value, sizeof value);
      EXPECT_FALSE(parse_golden_logits(bytes)) << field << " = " << value;
    }
  }
}

TEST(GoldenLogits, RefusesATokenIdOutsideTheVocabulary) {
  std::string bytes = tiny_fixture();
  const std::uint16_t id = 5;
  std::memcpy(bytes.data() + 8 + 20 + 4, &id, sizeof id);
  EXPECT_EQ(parse_golden_logits(bytes).error().message(), "a token id outside the vocabulary");
}

TEST(GoldenLogits, NamesTheFileThatCannotBeOpened) {
  const auto golden = read_golden_logits("/no/such/x.logits.bin");
  ASSERT_FALSE(golden);
  EXPECT_EQ(golden.error().code(), ErrorCode::not_found);
  EXPECT_EQ(golden.error().message(), "/no/such/x.logits.bin: cannot be opened");
}

}  // namespace
}  // namespace troupe::golden
