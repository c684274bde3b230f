// Two uses, neither part of the tests:
//   tokenizer_bpe_bench MODEL.gguf FILE...           how fast the texts are tokenized and decoded
//   tokenizer_bpe_bench MODEL.gguf --ids [--trusted] for tools/oracle/tokenizer_truth.py: reads
//     texts from stdin, each after its length (4 bytes, little endian), writes a line of ids each
//   tokenizer_bpe_bench --split RULE                 likewise, with the lengths of the pieces
#include "bpe_tokenizer.h"
#include "cpu_time.h"
#include "splitter.h"
#include "troupe/core/utf8.h"
#include "troupe/model/model_file.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

namespace troupe::bpe {
namespace {

std::vector<TokenId> ids_of(const BpeTokenizer& tokenizer, std::string text, bool trusted) {
  const PromptPiece piece{std::move(text), trusted};
  return tokenizer.encode({&piece, 1}, {.add_special = false}, nullptr).value();
}

/// Processor time, the best of several runs: the first fills the caches.
template <class Work>
double best_seconds(Work work) {
  double best = 1e9;
  for (int run = 0; run < 5; ++run)
    best = std::min(best, cpu_seconds(work));
  return best;
}

void measure(const BpeTokenizer& tokenizer, const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<TokenId> ids;
  const double cold = cpu_seconds([&] { ids = ids_of(tokenizer, text, false); });
  const double encode = best_seconds([&] { ids = ids_of(tokenizer, text, false); });
  std::string out;
  const double decode = best_seconds([&] {
    out.clear();
    DecodeState state;
    for (const TokenId id : ids)
      tokenizer.decode(state, id, out);
    finish_utf8(state.pending, out);
  });
  const double megabytes = static_cast<double>(text.size()) / 1e6;
  std::printf("%s: %.2f MB, %zu tokens; encode %.1f MB/s (cold %.1f), decode %.1f MB/s, %s\n", path,
              megabytes, ids.size(), megabytes / encode, megabytes / cold, megabytes / decode,
              out == text ? "round trip exact" : "round trip differs");
}

/// Writes `line_of(text)` for each text on stdin.
template <class LineOf>
void answer(LineOf line_of) {
  std::uint8_t head[4];
  while (std::cin.read(reinterpret_cast<char*>(head), 4)) {
    const std::uint32_t size =
        head[0] | head[1] << 8 | head[2] << 16 | static_cast<std::uint32_t>(head[3]) << 24;
    std::string text(size, '\0');
    std::cin.read(text.data(), size);
    std::puts(line_of(std::move(text)).c_str());
  }
}

void answer_ids(const BpeTokenizer& tokenizer, bool trusted) {
  answer([&](std::string text) {
    std::string line;
    for (const TokenId id : ids_of(tokenizer, std::move(text), trusted))
      line += std::to_string(id) + " ";
    return line;
  });
}

int answer_pieces(const char* name) {
  const SplitRule* rule = find_split_rule(name);
  if (rule == nullptr) return std::fprintf(stderr, "no such rule: %s\n", name), 2;
  const auto splitter = Splitter::build(*rule).value();
  PatternScratch scratch;
  answer([&](std::string text) {
    std::string line;
    const auto done = splitter.split(text, scratch, [&](std::string_view piece) {
      line += std::to_string(piece.size()) + " ";
      return true;
    });
    return done ? line : done.error().message();
  });
  return 0;
}

int run(int count, char** arguments) {
  if (std::string_view(arguments[1]) == "--split") return answer_pieces(arguments[2]);
  const auto file = model::open_model(arguments[1]);
  if (!file) return std::fprintf(stderr, "%s\n", file.error().message().c_str()), 2;
  Result<std::unique_ptr<BpeTokenizer>> tokenizer;
  const double load = cpu_seconds([&] { tokenizer = BpeTokenizer::build(**file, {}); });
  if (!tokenizer) return std::fprintf(stderr, "%s\n", tokenizer.error().message().c_str()), 2;
  if (std::string_view(arguments[2]) == "--ids") {
    answer_ids(**tokenizer, count > 3 && std::string_view(arguments[3]) == "--trusted");
    return 0;
  }
  std::printf("load: %.1f ms\n", load * 1e3);
  for (int i = 2; i < count; ++i)
    measure(**tokenizer, arguments[i]);
  return 0;
}

}  // namespace
}  // namespace troupe::bpe

int main(int count, char** arguments) {
  if (count < 3) return std::fprintf(stderr, "usage: %s MODEL.gguf FILE...\n", arguments[0]), 2;
  return troupe::bpe::run(count, arguments);
}
