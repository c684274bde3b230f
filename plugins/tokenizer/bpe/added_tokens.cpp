#include "added_tokens.h"

#include <algorithm>

namespace troupe::bpe {

using model::TokenType;

AddedTokens::AddedTokens(const model::Vocabulary& vocabulary) : nodes_(1) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const bool added = vocabulary.type(id) == TokenType::user_defined;
    if (added || vocabulary.is_control(id)) insert(vocabulary.text(id), id, !added);
  }
}

std::uint32_t AddedTokens::child(std::uint32_t node, std::uint8_t byte) const {
  const auto& edges = nodes_[node].edges;
  const auto edge = std::lower_bound(edges.begin(), edges.end(), byte,
                                     [](const Edge& e, std::uint8_t b) { return e.byte < b; });
  return edge != edges.end() && edge->byte == byte ? edge->to : 0;  // nothing leads to the root
}

void AddedTokens::insert(std::string_view text, TokenId id, bool needs_trust) {
  if (text.empty()) return;
  begins_[static_cast<std::uint8_t>(text[0])] = true;
  std::uint32_t node = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    std::uint32_t next = child(node, byte);
    if (next == 0) {
      next = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
      auto& edges = nodes_[node].edges;
      edges.insert(std::upper_bound(edges.begin(), edges.end(), byte,
                                    [](std::uint8_t b, const Edge& e) { return b < e.byte; }),
                   Edge{byte, next});
    }
    node = next;
  }
  // Two tokens with one text: a control token must not be had by way of its double.
  if (nodes_[node].id >= 0 && !needs_trust) return;
  nodes_[node].id = id;
  nodes_[node].needs_trust = needs_trust;
}

std::optional<AddedMatch> AddedTokens::match_at(std::string_view text, std::size_t begin,
                                                const Trust& trust) const {
  const std::size_t trusted_end = trust.end_of_stretch(begin);
  std::optional<AddedMatch> best;
  std::uint32_t node = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    node = child(node, static_cast<std::uint8_t>(text[i]));
    if (node == 0) break;
    const Node& here = nodes_[node];
    if (here.id >= 0 && (!here.needs_trust || i < trusted_end))
      best = AddedMatch{begin, i + 1, here.id};
  }
  return best;
}

std::optional<AddedMatch> AddedTokens::find(std::string_view text, std::size_t from,
                                            const Trust& trust) const {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (!begins_[static_cast<std::uint8_t>(text[i])]) continue;
    if (auto match = match_at(text, i, trust)) return match;
  }
  return std::nullopt;
}

}  // namespace troupe::bpe
