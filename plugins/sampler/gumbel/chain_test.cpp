#include "chain.h"

#include "test_case.h"

namespace troupe::gumbel {
namespace {

std::string error_of(const std::vector<std::string>& names) {
  const auto chain = Chain::read(names);
  return chain ? "" : chain.error().message();
}

TEST(Chain, TheDefaultOfTheParameterIsTheDefaultOrder) {
  const auto params = complete_params(troupe_plugin.spec->params, {}).value();
  const auto chain = Chain::read(params.get_texts("chain")).value();
  EXPECT_TRUE(std::ranges::equal(chain.links(), Chain().links()));
  EXPECT_EQ(chain.links().size(), 10u);
}

TEST(Chain, RefusesUnknownNamesWithTheNearestAndNamesTwice) {
  EXPECT_EQ(error_of({"penalties", "top_kk"}),
            "chain: unknown link 'top_kk'; did you mean 'top_k'? There are: penalties, dry, "
            "top_n_sigma, temperature, top_k, typical_p, top_p, min_p, xtc, mirostat");
  EXPECT_EQ(error_of({"top_k", "top_p", "top_k"}),
            "chain: 'top_k' stands in it twice; expected each link at most once");
}

TEST(Chain, PenaltiesAndDryStandBeforeTemperature) {
  EXPECT_NE(error_of({"temperature", "penalties"}).find("'penalties' stands behind"),
            std::string::npos);
  EXPECT_NE(error_of({"temperature", "dry"}).find("'dry' stands behind"), std::string::npos);
  EXPECT_EQ(error_of({"top_k", "dry", "penalties", "temperature"}), "");
}

TEST(Chain, AnEmptyChainDrawsFromTheModelsOwnDistribution) {
  EXPECT_EQ(error_of({}), "");
}

TEST(Chain, ParametersOfALinkThatIsLeftOutAreRefused) {
  Case one(logs({0.5, 0.5}));
  one.chain = {"penalties", "top_k"};
  one.params.temperature = 0;
  EXPECT_NE(one.sample().error->message().find(
                "temperature: the chain of this sampler has no 'temperature'; leave the parameter "
                "out, or add the link"),
            std::string::npos);
  EXPECT_EQ(one.sample().error->code(), ErrorCode::unsupported);
  one.params.temperature = 1;
  EXPECT_FALSE(one.sample().error);
  one.params.xtc_probability = 0.5f;
  EXPECT_TRUE(one.sample().error);
}

// D27: at temperature 2 the shares 0.5, 0.3, 0.2 become 0.415, 0.322, 0.263. 0.45 is reached by the
// first alone before temperature, and by two of them after it.
TEST(Chain, TheOrderOfTheChainDecides) {
  Case one(logs({0.5, 0.3, 0.2}));
  one.params.temperature = 2;
  one.params.top_p = 0.45f;
  EXPECT_EQ(one.drawn(), (std::set<TokenId>{0, 1}));
  one.chain = {"top_p", "temperature"};
  EXPECT_EQ(one.drawn(), std::set<TokenId>{0});
}

// top_p 0.6 of the whole is tokens 0 and 1; of the two that top_k leaves, 0.625 is token 0 alone.
TEST(Chain, EachLinkSeesWhatTheOnesBeforeItLeft) {
  Case one(logs({0.5, 0.3, 0.2}));
  one.params.top_k = 2;
  one.params.top_p = 0.6f;
  EXPECT_EQ(one.drawn(), std::set<TokenId>{0});
  one.chain = {"top_p", "top_k"};
  EXPECT_EQ(one.drawn(), (std::set<TokenId>{0, 1}));
}

TEST(Chain, PenaltiesBehindAFilterActOnWhatItLeft) {
  Case one({3, 2, 1});
  one.params.presence_penalty = 2;
  one.history = {0};
  one.params.top_k = 1;
  EXPECT_EQ(one.drawn(), std::set<TokenId>{1});
  one.chain = {"top_k", "penalties", "temperature"};
  EXPECT_EQ(one.drawn(), std::set<TokenId>{0});
  one.params.top_k = 2;
  one.params.temperature = 0;  // of 3 - 2 and 2
  EXPECT_EQ(one.token(), 1);
}

// Penalties behind a filter may make every token that is left infinite, or leave none.
TEST(Chain, PenaltiesBehindAFilterThatLeaveNoFiniteLogitEndTheRow) {
  for (const float penalty : {1e-45f, std::numeric_limits<float>::max()}) {
    Case one({5.0f, 4.0f, -3.0f, -2.0f});
    if (penalty > 1) one.logits = {-5.0f, -4.0f, -3.0f, -2.0f};
    one.chain = {"top_k", "penalties", "top_n_sigma", "temperature", "top_p"};
    one.history = {0, 1, 2, 3};
    one.params.top_k = 2;
    one.params.top_n_sigma = 1;
    one.params.top_p = 0.9f;
    one.params.repetition_penalty = penalty;
    const auto sampled = one.sample();
    ASSERT_TRUE(sampled.error) << penalty << " gave " << sampled.token;
    EXPECT_NE(sampled.error->message().find("logit"), std::string::npos)
        << sampled.error->message();
  }
}

}  // namespace
}  // namespace troupe::gumbel
