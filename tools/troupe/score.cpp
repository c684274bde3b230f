#include "command.h"
#include "npy_file.h"
#include "open_engine.h"
#include "terminal.h"
#include "token_text.h"
#include "troupe/core/json.h"
#include "troupe/engine/row_logprobs.h"
#include "troupe/engine/scorer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace troupe::program {
namespace {

struct ScoreOptions {
  PipelineOptions pipeline;
  bool json = false;
  bool ids = false;
  bool no_special = false;
  std::int64_t top = 0;
  std::string logits;
};

/// A token of the text: how probable it was after those before it, and what else was probable.
/// Nothing comes before the first.
struct ScoredToken {
  TokenId id = 0;
  std::optional<double> logprob;
  std::vector<TokenLogprob> top;
};

struct TextScore {
  std::vector<ScoredToken> tokens;
  double sum = 0;

  std::size_t count() const { return tokens.size() - 1; }
  /// NaN for a single token, of which nothing can be said.
  double perplexity() const { return std::exp(-sum / static_cast<double>(count())); }
};

Result<std::vector<TokenId>> read_ids(const ScoreOptions& options, const Tokenizer& tokenizer) {
  auto text = read_input(options.ids ? "token ids" : "the text");
  if (!text) return fail(text.error());
  if (options.ids) return parse_ids(*text, *tokenizer.tokens());
  const PromptPiece piece{std::move(*text), !options.no_special};
  return tokenizer.encode({&piece, 1}, {.add_special = !options.no_special});
}

Result<TextScore> score_ids(Scorer& scorer, std::span<const TokenId> ids, std::size_t top,
                            NpyFile* npy) {
  const auto num_tokens = static_cast<std::size_t>(scorer.tokenizer().tokens()->size());
  TextScore score;
  score.tokens.push_back({ids.empty() ? 0 : ids.front(), {}, {}});
  auto done = scorer.logits(ids, [&](std::size_t position, std::span<const float> row) {
    if (npy) npy->write(row);
    if (position + 1 == ids.size()) return;
    row = row.first(std::min(row.size(), num_tokens));
    const double log_sum = log_sum_exp(row);
    const auto id = ids[position + 1];
    const double logprob = static_cast<double>(row[static_cast<std::size_t>(id)]) - log_sum;
    score.sum += logprob;
    score.tokens.push_back({id, logprob, most_probable(row, top, log_sum)});
  });
  if (!done) return fail(done.error());
  return score;
}

Value to_value(const TextScore& score, const TokenTable& table) {
  Value::Array tokens;
  for (const auto& token : score.tokens) {
    Value entry;
    entry.set("id", static_cast<std::int64_t>(token.id));
    entry.set("text", token_text(table, token.id));
    entry.set("logprob", token.logprob ? Value(*token.logprob) : Value());
    Value::Array top;
    for (const auto& candidate : token.top) {
      Value one;
      one.set("id", static_cast<std::int64_t>(candidate.token));
      one.set("text", token_text(table, candidate.token));
      one.set("logprob", static_cast<double>(candidate.logprob));
      top.push_back(std::move(one));
    }
    if (!top.empty()) entry.set("top", std::move(top));
    tokens.push_back(std::move(entry));
  }
  Value value;
  value.set("tokens", std::move(tokens));
  value.set("num_tokens", static_cast<std::int64_t>(score.tokens.size()));
  value.set("num_scored", static_cast<std::int64_t>(score.count()));
  value.set("sum_logprob", score.sum);
  value.set("perplexity", score.perplexity());
  return value;
}

void print_text(const TextScore& score, const TokenTable& table) {
  std::printf("%10s %8s  %s\n", "logprob", "id", "token");
  for (const auto& token : score.tokens) {
    const auto quoted = to_json(Value(token_text(table, token.id)));
    if (token.logprob)
      std::printf("%10.4f %8d  %s", *token.logprob, token.id, quoted.c_str());
    else
      std::printf("%10s %8d  %s", "", token.id, quoted.c_str());
    const char* separator = "   top: ";
    for (const auto& candidate : token.top) {
      std::printf("%s%s %.4f", separator,
                  to_json(Value(token_text(table, candidate.token))).c_str(),
                  static_cast<double>(candidate.logprob));
      separator = ", ";
    }
    std::printf("\n");
  }
  if (score.count() > 0)
    std::printf("perplexity %.5f over %zu tokens\n", score.perplexity(), score.count());
}

Outcome score(const ScoreOptions& options) {
  if (options.top < 0)
    return fail(ErrorCode::invalid_argument,
                "--top: found " + std::to_string(options.top) + "; expected 0 or more");
  const auto loaded = options.pipeline.load();
  if (!loaded) return fail(loaded.error());
  if (auto files = check_model_files(loaded->spec); !files) return fail(files.error());
  auto scorer = [&] {
    ProgressLine progress("loading");
    return Scorer::open(loaded->spec, *loaded->registry);
  }();
  if (!scorer) return fail(scorer.error());
  const auto ids = read_ids(options, (*scorer)->tokenizer());
  if (!ids) return fail(ids.error());
  std::unique_ptr<NpyFile> npy;
  if (!options.logits.empty()) {
    auto created = NpyFile::create(options.logits, ids->size(),
                                   static_cast<std::size_t>((*scorer)->info().vocab_size));
    if (!created) return fail(created.error());
    npy = std::move(*created);
  }
  const auto scored = [&] {
    ProgressLine progress("scoring " + std::to_string(ids->size()) + " tokens");
    return score_ids(**scorer, *ids, static_cast<std::size_t>(options.top), npy.get());
  }();
  if (!scored) return fail(scored.error());
  if (npy)
    if (auto finished = npy->finish(); !finished) return fail(finished.error());
  const auto table = (*scorer)->tokenizer().tokens();
  if (options.json)
    std::printf("%s\n", to_json(to_value(*scored, *table)).c_str());
  else
    print_text(*scored, *table);
  return kDone;
}

}  // namespace

void add_score(CommandLine& program) {
  auto options = std::make_shared<ScoreOptions>();
  auto& command = program.command(
      "score", "log-probability of every token of the text on standard input, and perplexity");
  options->pipeline.add_to(command, "completion.toml");
  options->pipeline.add_engine_values_to(command);
  command.flag("--json", options->json, "print one JSON object");
  command.option("--top N", options->top, "also the N most probable tokens at each position");
  command.flag("--ids", options->ids, "standard input is token ids, taken as they are");
  command.flag("--no-special", options->no_special,
               "as a user's text: no BOS or EOS, and names of control tokens are plain text");
  command.option("--logits FILE", options->logits,
                 "write all logits there: .npy, float32 [tokens, vocab]");
  command.example("troupe score --model model.gguf --top 3 < text.txt",
                  "each token, and what the model would have liked better");
  command.example("troupe score --model model.gguf --ids --logits logits.npy <<< '[1, 2, 3]'",
                  "the logits of three ids, for NumPy");
  command.example(
      "troupe score --model model.gguf --json --set model.default.activations=f32 "
      "< text.txt",
      "in another precision");
  command.run([options] { return score(*options); });
}

}  // namespace troupe::program
