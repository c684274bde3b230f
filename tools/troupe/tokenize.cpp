#include "command.h"
#include "open_engine.h"
#include "terminal.h"
#include "token_text.h"
#include "troupe/core/json.h"
#include "troupe/engine/single_operators.h"

#include <cstdio>

namespace troupe::program {
namespace {

struct TokenizeOptions {
  PipelineOptions pipeline;
  bool json = false;
  bool no_special = false;
};

void print_ids(const TokenTable& table, std::span<const TokenId> ids, bool json) {
  if (json) {
    Value::Array texts;
    for (const auto id : ids)
      texts.emplace_back(token_text(table, id));
    Value value;
    value.set("ids", ids_to_value(ids));
    value.set("tokens", std::move(texts));
    std::printf("%s\n", to_json(value).c_str());
    return;
  }
  std::string line;
  for (const auto id : ids)
    line += (line.empty() ? "" : " ") + std::to_string(id);
  std::printf("%s\n", line.c_str());
}

Outcome tokenize(const TokenizeOptions& options) {
  const auto loaded = options.pipeline.load();
  if (!loaded) return fail(loaded.error());
  if (auto files = check_model_files(loaded->spec); !files) return fail(files.error());
  SingleOperators operators(loaded->spec, *loaded->registry);
  const auto tokenizer = operators.tokenizer();
  if (!tokenizer) return fail(tokenizer.error());
  auto text = read_input("the text");
  if (!text) return fail(text.error());
  const PromptPiece piece{std::move(*text), !options.no_special};
  const auto ids = (*tokenizer)->encode({&piece, 1}, {.add_special = !options.no_special});
  if (!ids) return fail(ids.error());
  print_ids(*(*tokenizer)->tokens(), *ids, options.json);
  return kDone;
}

Outcome detokenize(const TokenizeOptions& options) {
  const auto loaded = options.pipeline.load();
  if (!loaded) return fail(loaded.error());
  if (auto files = check_model_files(loaded->spec); !files) return fail(files.error());
  SingleOperators operators(loaded->spec, *loaded->registry);
  const auto tokenizer = operators.tokenizer();
  if (!tokenizer) return fail(tokenizer.error());
  const auto text = read_input("token ids");
  if (!text) return fail(text.error());
  const auto ids = parse_ids(*text, *(*tokenizer)->tokens());
  if (!ids) return fail(ids.error());
  const auto decoded = decode(**tokenizer, *ids, !options.no_special);
  if (options.json) {
    Value value;
    value.set("text", decoded);
    std::printf("%s\n", to_json(value).c_str());
  } else {
    // Byte for byte the text, so that a file can be compared with it.
    std::fwrite(decoded.data(), 1, decoded.size(), stdout);
    if (output_is_terminal()) std::printf("\n");
  }
  return kDone;
}

}  // namespace

void add_tokenize(CommandLine& program) {
  auto options = std::make_shared<TokenizeOptions>();
  auto& command = program.command("tokenize", "turn the text on standard input into token ids");
  options->pipeline.add_to(command, "completion.toml");
  command.flag("--json", options->json, "print {\"ids\": [...], \"tokens\": [...]}");
  command.flag("--no-special", options->no_special,
               "as a user's text: no BOS or EOS, and names of control tokens are plain text");
  command.example("troupe tokenize --model model.gguf < text.txt", "ids, with spaces between them");
  command.example("troupe tokenize --model model.gguf --json --no-special < text.txt",
                  "ids and the text of each token, without BOS");
  command.run([options] { return tokenize(*options); });
}

void add_detokenize(CommandLine& program) {
  auto options = std::make_shared<TokenizeOptions>();
  auto& command = program.command("detokenize", "turn the token ids on standard input into text");
  options->pipeline.add_to(command, "completion.toml");
  command.flag("--json", options->json, "print {\"text\": \"...\"}");
  command.flag("--no-special", options->no_special, "leave out control tokens");
  command.example("troupe detokenize --model model.gguf <<< \"19556 905\"", "ids as numbers");
  command.example("troupe detokenize --model model.gguf --no-special < ids.json",
                  "ids as a JSON array, or as tokenize --json printed them");
  command.run([options] { return detokenize(*options); });
}

}  // namespace troupe::program
