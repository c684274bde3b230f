#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/sampling.h"
#include "troupe/api/value.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The runtime's clock. Operators get the time as an argument and never read it themselves, so that
/// they run under simulated time as well.
using Time = std::chrono::steady_clock::time_point;

class TokenTable;

enum class RequestKind : std::uint8_t { chat, completion, score, embed };

/// A run of a prompt's text. Control tokens such as <|im_end|> are recognised only inside `trusted`
/// pieces: those the chat template wrote. What a user wrote can never become a control token.
struct PromptPiece {
  std::string text;
  bool trusted = false;

  bool operator==(const PromptPiece&) const = default;
};

/// What travels with a request from the door to its last event, shared by all messages about it.
struct RequestContext {
  RequestId id;
  std::uint32_t origin = 0;  // the ingress operator it came from: index in PipelineSpec::operators
  Time arrived{};
  /// Set by the door when the client took the request back; operators that hold the request look at
  /// it before they spend work on it.
  std::atomic<bool> cancelled{false};
  /// Whether the prompt holds text, so that what is generated goes on from it. Set by the tokenizer
  /// before the request goes on.
  std::atomic<bool> prompt_has_text{false};
  // Set by the tokenizer before the request goes on, and never again:
  std::shared_ptr<const TokenTable> tokens;  // what the ids of its events mean
  std::string echo;  // the text that each choice begins with: the prompt, when it was asked for
};

/// One request as a client made it and as stages may have changed it.
struct Request {
  std::shared_ptr<RequestContext> context;

  std::string client_id;  // the client's own name for it; echoed, never interpreted
  std::string model;      // chosen by a router operator; empty = the pipeline's only model
  RequestKind kind = RequestKind::completion;

  // Exactly one of these three is the input.
  std::vector<Value> messages;  // chat: objects with role, content, ...
  std::vector<PromptPiece>
      prompt;  // text: as the client wrote it, or as the template stage rendered it
  std::vector<TokenId> prompt_ids;  // ids, taken as they are

  // Arguments of the chat template.
  Value tools;                 // null or an array
  Value chat_template_kwargs;  // null or an object
  bool add_generation_prompt = true;

  SamplingParams sampling;
  StopParams stop;
  std::int32_t n = 1;        // choices
  std::int32_t best_of = 0;  // choices made, of which the n most probable are given; 0 = n
  bool echo = false;         // the prompt is given in front of each choice
  bool stream = false;
  std::int32_t priority = 0;  // larger runs first
  std::string tenant;
  std::string cache_salt;  // requests with different salts never share cached blocks
  std::string adapter;
  std::optional<Time> deadline;
  std::string trace_context;

  /// Whether the logits after every token of the prompt are needed: then none of it may be taken
  /// from a prefix cache.
  bool wants_prompt_logprobs() const { return sampling.prompt_logprobs >= 0; }
};

using RequestPtr = std::shared_ptr<const Request>;

}  // namespace troupe
