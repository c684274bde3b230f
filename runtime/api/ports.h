#pragma once
#include "troupe/api/operator.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace troupe {

/// What travels over a wire of a pipeline. A wire joins an output and an input of the same message.
enum class MessageType : std::uint8_t {
  request,            // Request
  tokenized_request,  // TokenizedRequest
  token_event,        // TokenEvent with ids, from a scheduler
  text_event,         // TokenEvent with text, from a tokenizer or stage
  block_request,
  block_grant,
  step_plan,
  logits,  // StepResult, with the plan's sample rows
  sampled_tokens,
  draft_request,
  proposal,
};

constexpr std::string_view to_string(MessageType type) {
  constexpr std::string_view names[] = {
      "Request",  "TokenizedRequest", "TokenEvent",    "TextEvent",    "BlockRequest", "BlockGrant",
      "StepPlan", "Logits",           "SampledTokens", "DraftRequest", "Proposal"};
  return names[static_cast<std::size_t>(type)];
}

struct PortSpec {
  enum class Direction : std::uint8_t { in, out };
  std::string_view name;
  MessageType message;
  Direction direction;
  bool required = true;  // must be wired
  bool many = false;     // may have several wires: inputs merge; outputs choose one per message
};

namespace detail::ports {

using enum MessageType;
inline constexpr auto in = PortSpec::Direction::in;
inline constexpr auto out = PortSpec::Direction::out;
inline constexpr PortSpec ingress[] = {{"requests", request, out},
                                       {"events", text_event, in, true, true}};
inline constexpr PortSpec stage[] = {{"requests", request, in, false, true},
                                     {"requests", request, out, false},
                                     {"events", text_event, in, false, true},
                                     {"events", text_event, out, false, true}};
inline constexpr PortSpec tokenizer[] = {{"requests", request, in, true, true},
                                         {"tokenized", tokenized_request, out},
                                         {"tokens", token_event, in, true, true},
                                         {"events", text_event, out, true, true}};
inline constexpr PortSpec scheduler[] = {{"requests", tokenized_request, in, true, true},
                                         {"events", token_event, out},
                                         {"blocks", block_request, out},
                                         {"grants", block_grant, in},
                                         {"plans", step_plan, out},
                                         {"sampled", sampled_tokens, in},
                                         {"drafts", draft_request, out, false},
                                         {"proposals", proposal, in, false}};
inline constexpr PortSpec kv_cache[] = {{"blocks", block_request, in},
                                        {"grants", block_grant, out}};
inline constexpr PortSpec executor[] = {{"plans", step_plan, in}, {"logits", logits, out}};
inline constexpr PortSpec sampler[] = {{"logits", logits, in}, {"sampled", sampled_tokens, out}};
inline constexpr PortSpec drafter[] = {{"drafts", draft_request, in}, {"proposals", proposal, out}};
inline constexpr PortSpec router[] = {{"requests", request, in, true, true},
                                      {"choices", request, out, true, true},
                                      {"events", text_event, in, false, true},
                                      {"events", text_event, out, false, true}};

}  // namespace detail::ports

/// The ports of a kind. A stage's two pairs are optional each, but what goes in must come out
/// again, and a stage without any wire is an error.
constexpr std::span<const PortSpec> ports_of(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::ingress:
      return detail::ports::ingress;
    case OperatorKind::stage:
      return detail::ports::stage;
    case OperatorKind::tokenizer:
      return detail::ports::tokenizer;
    case OperatorKind::scheduler:
      return detail::ports::scheduler;
    case OperatorKind::kv_cache:
      return detail::ports::kv_cache;
    case OperatorKind::executor:
      return detail::ports::executor;
    case OperatorKind::sampler:
      return detail::ports::sampler;
    case OperatorKind::drafter:
      return detail::ports::drafter;
    case OperatorKind::router:
      return detail::ports::router;
    case OperatorKind::communicator:
      return {};
  }
  return {};
}

}  // namespace troupe
