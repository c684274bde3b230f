#include "golden_logits.h"

#include "read_file.h"

#include <bit>
#include <cstring>
#include <string>

namespace troupe::golden {
namespace {

constexpr std::string_view kMagic = "TROUPEL1";
static_assert(std::endian::native == std::endian::little, "fixtures are read as they lie");

/// Takes values from the front of the bytes; remembers when there were too few.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T take() {
    T value{};
    if (bytes_.size() < sizeof(T)) {
      short_ = true;
      bytes_ = {};
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    return value;
  }

  /// A count that the rest of the bytes cannot hold marks the file as short instead of allocating.
  template <class Stored, class T>
  std::vector<T> take_many(std::size_t count) {
    if (count > bytes_.size() / sizeof(Stored)) {
      short_ = true;
      bytes_ = {};
      return {};
    }
    std::vector<T> values(count);
    for (T& value : values)
      value = static_cast<T>(take<Stored>());
    return values;
  }

  bool is_short() const { return short_; }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  bool short_ = false;
};

struct Header {
  std::uint32_t vocab, prompts, positions, head, tail;
};

SampledLogits take_sampled(Cursor& cursor, std::size_t count) {
  SampledLogits sampled;
  sampled.ids = cursor.take_many<std::uint16_t, TokenId>(count);
  sampled.logits = cursor.take_many<float, float>(count);
  return sampled;
}

LogitsSketch take_sketch(Cursor& cursor, const Header& header, std::uint32_t position) {
  LogitsSketch sketch;
  sketch.logsumexp = cursor.take<double>();
  sketch.rest_mass = cursor.take<double>();
  sketch.head = take_sampled(cursor, header.head);
  sketch.tail = take_sampled(cursor, header.tail);
  for (std::uint32_t id = position; id < header.vocab; id += header.positions)
    sketch.sweep.ids.push_back(static_cast<TokenId>(id));
  sketch.sweep.logits = cursor.take_many<float, float>(sketch.sweep.ids.size());
  return sketch;
}

bool ids_are_below(std::span<const TokenId> ids, std::uint32_t vocab) {
  for (const TokenId id : ids)
    if (static_cast<std::uint32_t>(id) >= vocab) return false;
  return true;
}

Result<Header> take_header(Cursor& cursor, std::size_t file_bytes) {
  Header header{};
  for (auto* field :
       {&header.vocab, &header.prompts, &header.positions, &header.head, &header.tail})
    *field = cursor.take<std::uint32_t>();
  const bool plausible = header.vocab > 0 && header.vocab <= 65536 && header.head >= 2 &&
                         header.head <= header.vocab && header.prompts <= file_bytes &&
                         header.positions > 0 && header.positions <= file_bytes;
  if (!plausible)
    return fail(ErrorCode::invalid_argument, "counts that no fixture has (vocabulary " +
                                                 std::to_string(header.vocab) + ", head " +
                                                 std::to_string(header.head) + "); make it again");
  return header;
}

Result<void> take_prompts(Cursor& cursor, const Header& header, GoldenLogits& golden) {
  std::size_t positions = 0;
  for (std::uint32_t i = 0; i < header.prompts; ++i) {
    auto& prompt = golden.prompts.emplace_back();
    prompt.ids = cursor.take_many<std::uint16_t, TokenId>(cursor.take<std::uint32_t>());
    positions += prompt.ids.size();
  }
  if (positions != header.positions)
    return fail(ErrorCode::invalid_argument, "the prompts have " + std::to_string(positions) +
                                                 " tokens, the header says " +
                                                 std::to_string(header.positions));
  std::uint32_t position = 0;
  for (PromptSketches& prompt : golden.prompts)
    while (prompt.positions.size() < prompt.ids.size() && !cursor.is_short())
      prompt.positions.push_back(take_sketch(cursor, header, position++));
  return {};
}

Result<void> check_ids(const GoldenLogits& golden) {
  const auto vocab = static_cast<std::uint32_t>(golden.vocab_size);
  for (const PromptSketches& prompt : golden.prompts) {
    bool good = ids_are_below(prompt.ids, vocab);
    for (const LogitsSketch& sketch : prompt.positions)
      good = good && ids_are_below(sketch.head.ids, vocab) && ids_are_below(sketch.tail.ids, vocab);
    if (!good) return fail(ErrorCode::invalid_argument, "a token id outside the vocabulary");
  }
  return {};
}

}  // namespace

Result<GoldenLogits> parse_golden_logits(std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    return fail(ErrorCode::invalid_argument,
                "not a logits fixture: expected to begin with " + std::string(kMagic));
  Cursor cursor(bytes.substr(kMagic.size()));
  const auto header = take_header(cursor, bytes.size());
  if (!header) return fail(header.error());
  GoldenLogits golden;
  golden.vocab_size = static_cast<std::int32_t>(header->vocab);
  if (auto taken = take_prompts(cursor, *header, golden); !taken) return fail(taken.error());
  if (cursor.is_short()) return fail(ErrorCode::invalid_argument, "the fixture ends too early");
  if (cursor.left() > 0)
    return fail(ErrorCode::invalid_argument, std::to_string(cursor.left()) + " bytes too many");
  if (auto checked = check_ids(golden); !checked) return fail(checked.error());
  return golden;
}

Result<GoldenLogits> read_golden_logits(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  if (!bytes) return fail(bytes.error());
  auto golden = parse_golden_logits(*bytes);
  if (!golden) return fail_at(path.string(), golden.error());
  return golden;
}

}  // namespace troupe::golden
