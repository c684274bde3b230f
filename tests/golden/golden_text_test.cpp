#include "golden_text.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::golden {
namespace {

const std::string kModel = R"("model":{"file":"m.gguf","bytes":12,"sha256":"00"})";

TEST(GoldenTokens, ReadsPlainAndSpecialIdsAndMarksWhatTheVocabularyLacks) {
  const auto tokens = parse_golden_tokens("{" + kModel + R"(,"cases":[
      {"name":"a","text":"x\u0000\ud83d\ude00","ids":[1,2]},
      {"name":"b","text":"<s>","ids":[3,4],"special_ids":[0]},
      {"name":"c","text":"\u0004","ids":[],"absent_bytes":[4]}]})");
  ASSERT_TRUE(tokens) << tokens.error().message();
  EXPECT_EQ(tokens->model.file, "m.gguf");
  EXPECT_EQ(tokens->model.bytes, 12);
  ASSERT_EQ(tokens->cases.size(), 3u);
  EXPECT_EQ(tokens->cases[0].text, std::string("x\0\xF0\x9F\x98\x80", 6));
  EXPECT_EQ(tokens->cases[0].special_ids, (std::vector<TokenId>{1, 2}));
  EXPECT_EQ(tokens->cases[1].special_ids, (std::vector<TokenId>{0}));
  EXPECT_TRUE(tokens->cases[1].is_expressible);
  EXPECT_FALSE(tokens->cases[2].is_expressible);
}

TEST(GoldenTokens, NamesTheFirstKeyThatIsMissingOrOfAnotherType) {
  const auto message = [](const std::string& json) {
    const auto tokens = parse_golden_tokens(json);
    return tokens ? std::string("accepted") : tokens.error().message();
  };
  EXPECT_EQ(message("{" + kModel + "}"), "\"cases\": expected an array");
  EXPECT_EQ(message(R"({"cases":[]})"), "\"model\": expected an object");
  EXPECT_EQ(message("{" + kModel + R"(,"cases":[{"name":1}]})"), "\"name\": expected a string");
  EXPECT_EQ(message("{" + kModel + R"(,"cases":[{"name":"a","text":"","ids":[-1]}]})"),
            "\"ids\": expected token ids");
  EXPECT_EQ(message("{" + kModel + R"(,"cases":[{"name":"a","text":"","ids":[1.5]}]})"),
            "\"ids\": expected token ids");
}

TEST(GoldenText, ReadsPromptsContinuationsAndPerplexity) {
  const auto text = parse_golden_text("{" + kModel + R"(,
      "perplexity":{"text":"ab","ids":[1,2],"logprobs":[-0.5],"perplexity":1.6487},
      "prompts":[{"name":"p","text":"a","ids":[1]}],
      "continuations":[{"prompt":"p","ids":[7],"runner_up":[8],"margin":[2]}]})");
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_EQ(text->perplexity.logprobs, (std::vector<double>{-0.5}));
  EXPECT_EQ(text->prompts.at(0).name, "p");
  EXPECT_EQ(text->continuations.at(0).runner_up, (std::vector<TokenId>{8}));
  EXPECT_EQ(text->continuations.at(0).margin, (std::vector<double>{2.0}));
}

TEST(GoldenText, NamesTheFileAndTheKeyOfAnError) {
  EXPECT_EQ(read_golden_text("/no/such.json").error().message(), "/no/such.json: cannot be opened");
  EXPECT_EQ(parse_golden_text("{" + kModel + "}").error().message(),
            "\"perplexity\": expected an object");
  EXPECT_FALSE(parse_golden_text("{"));
}

}  // namespace
}  // namespace troupe::golden
