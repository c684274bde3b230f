#include "prefix_hash.h"

#include "troupe/api/check.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

namespace troupe::paged {
namespace {

using Secret = std::array<std::uint32_t, 48>;  // 192 bytes; XXH3 asks for 136 at least
static_assert(sizeof(Secret) >= XXH3_SECRET_SIZE_MIN);

void append(std::string& out, std::string_view tag, std::string_view text) {
  out += tag;
  const std::uint64_t size = text.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += text;
}

}  // namespace

HashFunction make_keyed_hash() {
  Secret secret;
  std::random_device random;
  std::generate(secret.begin(), secret.end(), [&] { return random(); });
  return [secret](std::span<const std::byte> bytes) {
    const auto hash =
        XXH3_128bits_withSecret(bytes.data(), bytes.size(), secret.data(), sizeof(Secret));
    return Hash128{hash.low64, hash.high64};
  };
}

std::string_view root_key(std::string_view salt, std::string_view adapter, std::string& out) {
  out.clear();
  append(out, "salt", salt);
  append(out, "adapter", adapter);
  return out;
}

Hash128 chain_hash(const HashFunction& hash, const Hash128& parent,
                   std::span<const TokenId> tokens) {
  TROUPE_CHECK(tokens.size() == kBlockSize);
  struct {
    Hash128 parent;
    std::array<TokenId, kBlockSize> tokens;
  } link{parent, {}};
  static_assert(sizeof link == sizeof(Hash128) + kBlockSize * sizeof(TokenId), "no padding");
  std::copy(tokens.begin(), tokens.end(), link.tokens.begin());
  return hash(std::as_bytes(std::span(&link, 1)));
}

std::uint64_t child_hash(const HashFunction& hash, std::uint64_t parent_id, TokenId first_token) {
  const std::array<std::uint64_t, 2> key{parent_id, static_cast<std::uint64_t>(first_token)};
  return hash(std::as_bytes(std::span(key))).low;
}

}  // namespace troupe::paged
