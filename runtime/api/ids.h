#pragma once
#include <compare>
#include <cstdint>
#include <functional>

namespace troupe {

/// An integer that names one kind of thing and mixes with no other kind.
template <class Tag, class Rep>
struct StrongId {
  Rep value = 0;
  auto operator<=>(const StrongId&) const = default;
};

/// One accepted request; unique in a runtime for as long as it lives. The client's own id is text.
using RequestId = StrongId<struct RequestTag, std::uint64_t>;
/// One sequence of tokens being generated; a request with n choices has n of them.
using SequenceId = StrongId<struct SequenceTag, std::uint64_t>;
/// One step of the token loop, counted from 1.
using StepId = StrongId<struct StepTag, std::uint64_t>;
/// A physical block of the KV cache, counted from 0.
using BlockId = StrongId<struct BlockTag, std::uint32_t>;

/// A token id of the model's vocabulary: 0 <= id < vocab_size.
using TokenId = std::int32_t;

/// Tokens per KV block.
inline constexpr std::int32_t kBlockSize = 16;

}  // namespace troupe

template <class Tag, class Rep>
struct std::hash<troupe::StrongId<Tag, Rep>> {
  std::size_t operator()(troupe::StrongId<Tag, Rep> id) const noexcept {
    return std::hash<Rep>{}(id.value);
  }
};
