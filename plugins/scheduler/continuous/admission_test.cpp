#include "test_rig.h"

namespace troupe::continuous {
namespace {

/// The error with which a request is refused at once.
Error refusal(Rig& rig, const Rig::Draft& draft) {
  rig.admit(draft);
  const auto event = rig.end_of(draft.request->context->id.value);
  EXPECT_EQ(event.finish, FinishReason::error);
  EXPECT_EQ(event.number, 0u);
  EXPECT_FALSE(rig.scheduler->has_work());
  return event.error.value_or(Error(ErrorCode::internal, "it was not refused"));
}

TEST(Admission, RefusesAnEmptyPrompt) {
  Rig rig;
  const auto error = refusal(rig, rig.draft(1, 0));
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error.message(), "the prompt is empty: expected one token or more");
}

// D33: too long, said clearly, with both numbers.
TEST(Admission, RefusesAPromptThatFillsTheContext) {
  Rig rig({}, Rig::executor_of(64, 100));
  EXPECT_EQ(refusal(rig, rig.draft(1, 100)).message(),
            "the prompt has 100 tokens, the context 100: expected at most 99, to leave room for an "
            "answer");
  EXPECT_EQ(refusal(rig, rig.draft(2, 5000)).code(), ErrorCode::invalid_argument);
}

TEST(Admission, RefusesAPromptThatFillsTheWholePool) {
  Rig rig({}, Rig::executor_of(2, 100));
  EXPECT_EQ(refusal(rig, rig.draft(1, 32)).message(),
            "the prompt has 32 tokens, the KV cache 32: expected at most 31, to leave room for an "
            "answer");
  rig.admit(2, 31, -1);
  rig.run();
  EXPECT_EQ(rig.end_of(2).finish, FinishReason::length);
  EXPECT_EQ(rig.tokens_of(2).size(), 1u);
}

TEST(Admission, RefusesAnAnswerThatTheContextHasNoRoomFor) {
  Rig rig({}, Rig::executor_of(64, 100));
  auto draft = rig.draft(1, 60);
  draft->stop.max_tokens = 41;
  EXPECT_EQ(refusal(rig, draft).message(),
            "max_tokens: found 41; the prompt has 60 tokens, the context 100: expected at most 40, "
            "or -1 for as many as there is room for");
  rig.admit(2, 60, 40);
  rig.run();
  EXPECT_EQ(rig.tokens_of(2).size(), 40u);
}

TEST(Admission, OneTokenOfRoomGivesOneToken) {
  Rig rig({}, Rig::executor_of(64, 20));
  rig.admit(1, 19, -1);
  rig.run();
  EXPECT_EQ(rig.tokens_of(1).size(), 1u);
  EXPECT_EQ(rig.end_of(1).finish, FinishReason::length);
}

TEST(Admission, AnswersARequestForNoTokensWithoutAStep) {
  Rig rig;
  rig.admit(1, 10, 0);
  const auto end = rig.end_of(1);
  EXPECT_EQ(end.finish, FinishReason::length);
  EXPECT_TRUE(end.token_ids.empty());
  EXPECT_EQ(end.usage.prompt_tokens, 10);
  EXPECT_EQ(end.usage.completion_tokens, 0);
  EXPECT_FALSE(rig.scheduler->has_work());
}

// D22: ids are range-checked before anything is computed.
TEST(Admission, RefusesTokensOutsideTheVocabulary) {
  for (const TokenId bad : {-1, 64, INT32_MAX}) {
    Rig rig;
    auto draft = rig.draft(1, 10);
    draft.prompt_ids[7] = bad;
    EXPECT_EQ(refusal(rig, draft).message(),
              "token " + std::to_string(bad) + " at position 7 of the prompt: expected 0 to 63");
    draft = rig.draft(2, 10);
    draft->sampling.logit_bias = {{bad, 1.0f}};
    EXPECT_EQ(refusal(rig, draft).code(), ErrorCode::invalid_argument);
    draft = rig.draft(3, 10);
    draft->stop.stop_token_ids = {bad};
    EXPECT_EQ(refusal(rig, draft).code(), ErrorCode::invalid_argument);
  }
}

TEST(Admission, TheSmallerOfTokenizerAndModelVocabularyCounts) {
  Rig rig;
  auto draft = rig.draft(1, 10);
  draft.tokens = std::make_shared<testing::FakeTokens>(50);  // the model has 64 rows
  draft.prompt_ids[3] = 50;
  EXPECT_NE(refusal(rig, draft).message().find("expected 0 to 49"), std::string::npos);
}

// D25: n above the cap is refused at once, without memory for it.
TEST(Admission, RefusesMoreChoicesThanTheCap) {
  for (const std::int32_t n : {0, -1, 9, 1'000'000'000}) {
    Rig rig;
    auto draft = rig.draft(1, 10);
    draft->n = n;
    EXPECT_EQ(refusal(rig, draft).message(),
              "n = " + std::to_string(n) + ": expected 1 to 8 choices");
  }
}

TEST(Admission, RefusesWhatItDoesNotServe) {
  Rig rig;
  auto draft = rig.draft(1, 10);
  draft->kind = RequestKind::score;
  EXPECT_EQ(refusal(rig, draft).code(), ErrorCode::unsupported);
  draft = rig.draft(2, 10);
  draft->kind = RequestKind::embed;
  EXPECT_EQ(refusal(rig, draft).code(), ErrorCode::unsupported);
  draft = rig.draft(3, 10);
  draft->priority = 1;
  EXPECT_NE(refusal(rig, draft).message().find("priority = 1"), std::string::npos);
  draft = rig.draft(4, 10);
  draft->adapter = "poet";
  EXPECT_NE(refusal(rig, draft).message().find("\"poet\""), std::string::npos);
  draft = rig.draft(5, 10);
  draft->stop.stop = {"x"};
  draft.tokens = nullptr;
  EXPECT_EQ(refusal(rig, draft).code(), ErrorCode::unsupported);
}

TEST(Admission, RefusesASecondRequestOfTheSameId) {
  Rig rig;
  rig.admit(1, 10, 5);
  rig.admit(1, 10, 5);
  EXPECT_EQ(rig.events.events.at(0).error->message(), "request 1 is already here");
  EXPECT_EQ(rig.scheduler->stats().waiting, 1);
}

TEST(Admission, RefusesRequestsThatAreLateOrTakenBack) {
  Rig rig;
  auto late = rig.draft(1, 10);
  late->deadline = rig.now();
  EXPECT_EQ(refusal(rig, late).code(), ErrorCode::deadline);
  auto cancelled = rig.draft(2, 10);
  cancelled->context->cancelled = true;
  rig.admit(cancelled);
  EXPECT_EQ(rig.end_of(2).finish, FinishReason::cancelled);
  EXPECT_FALSE(rig.end_of(2).error);
}

TEST(Admission, AFullQueueSaysWhenToTryAgain) {
  Rig rig({{"max_waiting", 4}, {"max_choices", 4}, {"max_num_seqs", 1}});
  for (std::uint64_t id = 1; id <= 4; ++id)
    rig.admit(id, 5, 3);
  rig.admit(5, 5, 3);
  const auto refused = rig.end_of(5);
  EXPECT_EQ(refused.error->code(), ErrorCode::resource_exhausted);
  EXPECT_EQ(refused.error->message(),
            "the queue is full: 4 sequences wait, at most 4 may; try again later");
  EXPECT_EQ(refused.retry_after_ms, 1000);  // nothing is known yet
  while (rig.events_of(2).empty() || !rig.events_of(2).back().last)
    rig.turn();
  for (std::uint64_t id = 6; id <= 9; ++id)
    rig.admit(id, 5, 3);
  // An answer ends every three turns of a millisecond.
  EXPECT_EQ(rig.end_of(9).retry_after_ms, 3);
  auto many = rig.draft(10, 5);
  many->n = 4;
  rig.admit(many);  // its choices count each
  EXPECT_EQ(rig.end_of(10).error->code(), ErrorCode::resource_exhausted);
  rig.run();
  EXPECT_EQ(rig.scheduler->stats().refused, 4);
}

TEST(Options, RefuseWhatContradictsEachOtherOrTheExecutor) {
  const auto start = [](const Value::Object& params, const ExecutorInfo& info) -> Result<void> {
    testing::FakeResources resources;
    resources.executor = info;
    const std::unique_ptr<Operator> op(troupe_plugin.spec->create());
    if (auto good = op->configure(*complete_params(troupe_plugin.spec->params, params)); !good)
      return good;
    return op->start(resources);
  };
  const auto info = testing::FakeResources().executor.value();
  EXPECT_TRUE(start({}, info));
  EXPECT_TRUE(start({{"max_batch_tokens", 512}}, info));
  EXPECT_EQ(
      start({{"max_batch_tokens", 513}}, info).error().message(),
      "max_batch_tokens = 513: the executor takes at most 512 tokens a step; 0 takes its limit");
  EXPECT_EQ(start({{"max_waiting", 7}}, info).error().message(),
            "max_waiting = 7: expected at least max_choices, which is 8");
  for (const auto member :
       {&ExecutorInfo::vocab_size, &ExecutorInfo::context_len, &ExecutorInfo::max_batch_tokens}) {
    auto useless = info;
    useless.*member = 0;
    EXPECT_EQ(start({}, useless).error().code(), ErrorCode::invalid_argument);
  }
  EXPECT_FALSE(start({}, Rig::executor_of(0)));
}

}  // namespace
}  // namespace troupe::continuous
