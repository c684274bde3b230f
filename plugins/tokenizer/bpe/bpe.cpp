#include "bpe_tokenizer.h"
#include "troupe/api/plugin.h"
#include "troupe/core/utf8.h"

#include <utility>

namespace troupe {
namespace {

constexpr ParamSpec kParams[] = {
    {.name = "model",
     .default_value = R"("default")",
     .help = "the [model.NAME] table whose file holds the vocabulary"},
    {.name = "split_rule",
     .default_value = R"("")",
     .help = "how text is cut into pieces, in place of what the file's tokenizer.ggml.pre names; "
             "empty: as the file says"},
    {.name = "missing_bytes",
     .default_value = R"("drop")",
     .help = "bytes of a prompt for which a byte-level vocabulary has no token: left out, as by "
             "the tokenizer of the model's training, or refused",
     .choices = "drop|refuse"},
};

class Bpe final : public Tokenizer {
 public:
  Result<void> configure(const Params& params) override {
    model_ = params.get_text("model");
    options_.split_rule = params.get_text("split_rule");
    options_.refuse_missing_bytes = params.get_text("missing_bytes") == "refuse";
    return {};
  }

  Result<void> start(Resources& resources) override {
    const auto file = resources.model(model_);
    if (!file) return fail(file.error());
    auto built = bpe::BpeTokenizer::build(**file, options_);
    if (!built) return fail_at((*file)->path().string(), built.error());
    tokenizer_ = std::move(*built);
    return {};
  }

  void stop() noexcept override { tokenizer_.reset(); }

  Result<std::vector<TokenId>> encode(std::span<const PromptPiece> prompt, EncodeOptions options,
                                      const std::atomic<bool>* cancelled) const override {
    return tokenizer_->encode(prompt, options, cancelled);
  }

  void decode(DecodeState& state, TokenId id, std::string& out) const override {
    tokenizer_->decode(state, id, out);
  }

  void decode_part(DecodeState& state, TokenId id, std::size_t keep_bytes,
                   std::string& out) const override {
    tokenizer_->decode(state, id, out, keep_bytes);
  }

  void finish(DecodeState& state, std::string& out) const override {
    finish_utf8(state.pending, out);
  }

  std::shared_ptr<const TokenTable> tokens() const override { return tokenizer_->vocabulary(); }

 private:
  std::string model_;
  bpe::TokenizerOptions options_;
  std::unique_ptr<bpe::BpeTokenizer> tokenizer_;
};

constexpr OperatorSpec kSpec = make_operator<Bpe, OperatorKind::tokenizer>(
    "bpe", "byte-level BPE and SentencePiece BPE from a GGUF file's own vocabulary",
    "Sennrich et al. 2016; Radford et al. 2019; Kudo and Richardson 2018", kParams,
    {.stateless = true, .deterministic = true, .threads = ThreadRule::any_thread});

}  // namespace
}  // namespace troupe

TROUPE_PLUGIN(tokenizer, bpe, ::troupe::kSpec)
