#pragma once
#include "troupe/api/ids.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace troupe::paged {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  auto operator<=>(const Hash128&) const = default;
};

using HashFunction = std::function<Hash128(std::span<const std::byte>)>;

/// XXH3 of 128 bits under a secret drawn when this is called: nobody outside can find texts whose
/// hashes are equal, or fill one bucket.
HashFunction make_keyed_hash();

/// Of what separates the sequences that may share blocks; each part is tagged and has its length,
/// so that no salt looks like an adapter.
std::string_view root_key(std::string_view salt, std::string_view adapter, std::string& out);

/// Of a full block: the hash of the block before it (or of the root) and its own tokens.
Hash128 chain_hash(const HashFunction& hash, const Hash128& parent,
                   std::span<const TokenId> tokens);

/// Of the children of one block that begin with the same token.
std::uint64_t child_hash(const HashFunction& hash, std::uint64_t parent_id, TokenId first_token);

}  // namespace troupe::paged
