#include "split_rules.h"

#include <algorithm>
#include <vector>

namespace troupe::bpe {
namespace {

// The expressions are data of the models: they stand in the tokenizer files that were published
// with them. Only what PCRE2 spells differently is changed: intersections of classes are written as
// complements, and \p{Han} as the script property \p{sc:Han}.
#define GPT2_WORDS R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"
#define CONTRACTIONS R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
#define SPACES R"(\s*[\r\n]+|\s+(?!\S)|\s+)"
#define LETTERS R"([^\r\n\p{L}\p{N}]?\p{L}+)"
#define SYMBOLS R"( ?[^\s\p{L}\p{N}]+[\r\n]*)"
#define NOT_WORD R"([^\r\n\p{L}\p{N}]?)"
#define UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define CJK_WORDS R"([\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}]+)"
#define PUBLISHED_PUNCTUATION R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~])"

constexpr std::string_view kGpt2[] = {GPT2_WORDS};
constexpr std::string_view kDigitsThenGpt2[] = {R"(\p{N})", GPT2_WORDS};
constexpr std::string_view kLlama3[] = {CONTRACTIONS "|" LETTERS "|\\p{N}{1,3}|" SYMBOLS
                                                     "|" SPACES};
constexpr std::string_view kQwen2[] = {CONTRACTIONS "|" LETTERS "|\\p{N}|" SYMBOLS "|" SPACES};
constexpr std::string_view kQwen35[] = {CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|)"
                                                     R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" SPACES};
constexpr std::string_view kGpt4o[] = {
    NOT_WORD UPPER "*" LOWER "+" CONTRACTIONS "?|" NOT_WORD UPPER "+" LOWER "*" CONTRACTIONS
                   R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" SPACES};
constexpr std::string_view kTekken[] = {NOT_WORD UPPER
                                        "*" LOWER "+|" NOT_WORD UPPER "+" LOWER
                                        R"(*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" SPACES};

// Letters that are not Han: everything but the other categories and Han.
#define UPPER_NOT_HAN R"([^\p{Ll}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{sc:Han}])"
#define LOWER_NOT_HAN R"([^\p{Lu}\p{Lt}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{sc:Han}])"
constexpr std::string_view kKimiK2[] = {R"(\p{sc:Han}+|)" NOT_WORD UPPER_NOT_HAN "*" LOWER_NOT_HAN
                                        "+" CONTRACTIONS "?|" NOT_WORD UPPER_NOT_HAN
                                        "+" LOWER_NOT_HAN "*" CONTRACTIONS
                                        R"(?|\p{N}{1,3}|)" SYMBOLS "|" SPACES};

constexpr std::string_view kDeepseekV3[] = {
    R"(\p{N}{1,3})", R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)",
    PUBLISHED_PUNCTUATION
    R"([A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)" SPACES};
constexpr std::string_view kDeepseekCoder[] = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)",
                                               CJK_WORDS, R"(\p{N})"};
// The published class lists letters with case one by one; it leaves out some, so no property
// stands for it.
constexpr std::string_view kDeepseekLlm[] = {
    R"([\r\n])",
    R"(\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293})"
    R"(\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A})"
    R"(\x{38C}\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556})"
    R"(\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF})"
    R"(\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D})"
    R"(\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D})"
    R"(\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4})"
    R"(\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4})"
    R"(\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124})"
    R"(\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F})"
    R"(\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4})"
    R"(\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F})"
    R"(\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17})"
    R"(\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F}\x{104B0}-\x{104D3})"
    R"(\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF})"
    R"(\x{1E900}-\x{1E943}]+)",
    R"(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+)",
    R"(\s+$)",
    CJK_WORDS,
    R"(\p{N}+)"};

constexpr std::string_view kFalcon[] = {R"([\p{P}$+<=>^~|`]+)", GPT2_WORDS, "[0-9][0-9][0-9]"};
constexpr std::string_view kDefault[] = {R"([\p{P}$+<=>^~|]+)", GPT2_WORDS, R"(\p{N}+)",
                                         "[0-9][0-9][0-9]"};
#define BLOOM_WORDS R"( ?[^(\s|.,!?\x{2026}\x{3002}\x{FF0C}\x{3001}\x{964}\x{6D4}\x{60C})]+)"
constexpr std::string_view kBloom[] = {BLOOM_WORDS};
constexpr std::string_view kViking[] = {BLOOM_WORDS, R"(\p{N})"};
constexpr std::string_view kBailing[] = {
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|)"
    R"(\s*[\r\n]|\s+(?!\S)|\s+)"};
constexpr std::string_view kSeedCoder[] = {CONTRACTIONS "|" LETTERS
                                                        R"(|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|)" SPACES};
constexpr std::string_view kMinicpm5[] = {
    R"(\p{N}{1,3})", CONTRACTIONS "|" LETTERS R"(|\p{N}+|)" SYMBOLS "|" SPACES};

constexpr SplitRule kRules[] = {
    {"gpt-2 phi-2 jais gigachat a.x-4.0 mellum exaone4 trillion granite-docling", kGpt2},
    {"olmo mpt", kGpt2, true},
    {"smollm starcoder refact codeshell exaone minerva-7b mellum2", kDigitsThenGpt2},
    {"command-r", kDigitsThenGpt2, true},
    {"llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2", kLlama3, false, true,
     true},
    {"smaug-bpe dbrx chatglm-bpe glm4", kLlama3},
    {"qwen2 stablelm2", kQwen2, true},
    {"deepseek-r1-qwen kormo megrez hunyuan solar-open grok-2 f2llmv2", kQwen2},
    {"qwen35", kQwen35, true},
    {"gpt-4o llama4 kanana2 talkie minimax-m2", kGpt4o},
    {"tekken", kTekken, false, true, true},
    {"kimi-k2", kKimiK2},
    {"deepseek-v3 hunyuan-dense joyai-llm hy_v4", kDeepseekV3},
    {"deepseek-coder", kDeepseekCoder},
    {"deepseek-llm", kDeepseekLlm},
    {"falcon", kFalcon},
    {"default", kDefault},
    {"bloom poro-chat gpt3-finnish", kBloom},
    {"viking", kViking},
    {"bailingmoe bailingmoe2 llada-moe", kBailing},
    {"seed-coder", kSeedCoder},
    {"minicpm5", kMinicpm5, false, true},
};

std::vector<std::string_view> names_of(const SplitRule& rule) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < rule.names.size();) {
    const auto end = std::min(rule.names.find(' ', at), rule.names.size());
    names.push_back(rule.names.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

}  // namespace

const SplitRule* find_split_rule(std::string_view name) {
  for (const SplitRule& rule : kRules)
    for (const auto known : names_of(rule))
      if (known == name) return &rule;
  return nullptr;
}

std::string split_rule_names() {
  std::vector<std::string_view> all;
  for (const SplitRule& rule : kRules)
    for (const auto name : names_of(rule))
      all.push_back(name);
  std::sort(all.begin(), all.end());
  std::string text;
  for (const auto name : all)
    text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

}  // namespace troupe::bpe
