// The wrappers outside the token loop: door, router, stage, tokenizer.
#include "clients.h"
#include "faulty_operators.h"
#include "troupe/api/ingress.h"
#include "troupe/api/router.h"
#include "troupe/api/stage.h"
#include "troupe/testing/fake_model.h"

namespace troupe::simulation {
namespace {

class FaultyDoor final : public Faulty<Ingress>, public EmbedDoor {
 public:
  FaultyDoor(World& world, const std::shared_ptr<Operator>& inner)
      : Faulty(world, inner), embed_(std::dynamic_pointer_cast<EmbedDoor>(inner)) {}
  Result<void> open(RequestSink& sink) override { return inner_->open(sink); }
  void deliver(const TokenEvent& event) override {
    inner_->deliver(event);
    if (!world_.fires(Fault::client_vanishes)) return;
    world_.clients->cancelled(event.context->id);
    throw PlantedFault(world_.plant(0));
  }
  Result<RequestId> submit(Request request, OnEvent on_event) override {
    return embed_->submit(std::move(request), std::move(on_event));
  }
  void cancel(RequestId request) override { embed_->cancel(request); }

 private:
  std::shared_ptr<EmbedDoor> embed_;
};

class FaultyRouter final : public Faulty<Router> {
 public:
  using Faulty::Faulty;
  Result<std::size_t> choose(const Request& request,
                             std::span<const ReplicaState> replicas) override {
    if (world_.fires(Fault::router_lies)) {
      world_.excuse("an operator that is not there", 1);
      return replicas.size() + 3;
    }
    return world_.call(Fault::router_throws, 1, [&] { return inner_->choose(request, replicas); });
  }
};

class PassingStage final : public Stage {
 public:
  explicit PassingStage(World& world) : world_(world) {}
  StageVerdict on_request(Request&) override {
    if (world_.fires(Fault::stage_refuses)) {
      if (world_.dice.one_in(2)) return StageVerdict::reply(std::string(kReply));
      return StageVerdict::refuse(Error(ErrorCode::unsupported, world_.plant(1)));
    }
    return world_.call(Fault::stage_throws, 1, [] { return StageVerdict::pass(); });
  }
  void on_event(TokenEvent& event) override {
    world_.call(Fault::stage_throws_on_event, 1, [&] { event.text += ""; });
  }

 private:
  World& world_;
};

class Letters final : public Tokenizer {
 public:
  explicit Letters(World& world)
      : world_(world), tokens_(std::make_shared<testing::FakeTokens>(world.info.vocab_size)) {}
  Result<std::vector<TokenId>> encode(std::span<const PromptPiece> prompt, EncodeOptions,
                                      const std::atomic<bool>*) const override {
    return world_.call(Fault::encode_throws, 1, [&] {
      std::string text;
      for (const auto& piece : prompt)
        text += piece.text;
      return letters(text, world_.info.vocab_size);
    });
  }
  void decode(DecodeState&, TokenId id, std::string& out) const override {
    world_.call(Fault::decode_throws, 1, [&] { out += tokens_->bytes(id); });
  }
  void finish(DecodeState&, std::string&) const override {}
  std::shared_ptr<const TokenTable> tokens() const override { return tokens_; }

 private:
  World& world_;
  std::shared_ptr<const testing::FakeTokens> tokens_;
};

}  // namespace

std::vector<TokenId> letters(std::string_view text, std::int32_t vocab_size) {
  std::vector<TokenId> ids;
  for (const char c : text)
    ids.push_back(1 + static_cast<unsigned char>(c) % (vocab_size - 1));
  return ids;
}

std::shared_ptr<Operator> faulty_door(World& world, std::shared_ptr<Operator> inner) {
  return std::make_shared<FaultyDoor>(world, inner);
}
std::shared_ptr<Operator> faulty_router(World& world, std::shared_ptr<Operator> inner) {
  return std::make_shared<FaultyRouter>(world, inner);
}
std::shared_ptr<Operator> faulty_tokenizer(World& world) {
  return std::make_shared<Letters>(world);
}
std::shared_ptr<Operator> faulty_stage(World& world) {
  return std::make_shared<PassingStage>(world);
}

}  // namespace troupe::simulation
