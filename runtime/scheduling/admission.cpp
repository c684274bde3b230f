#include "troupe/scheduling/admission.h"

#include "troupe/core/block_math.h"
#include "troupe/core/philox.h"
#include "troupe/core/sampling_limits.h"

#include <algorithm>
#include <string>

namespace troupe::scheduling {
namespace {

tl::unexpected<Error> refuse(ErrorCode code, std::string message) {
  return fail(code, std::move(message));
}

Result<void> check_served(const Request& request, const std::string& scheduler,
                          const Options& options) {
  if (request.kind == RequestKind::score || request.kind == RequestKind::embed)
    return refuse(ErrorCode::unsupported,
                  "scheduler " + scheduler + " generates tokens; it does not score or embed");
  if (request.priority != 0 && !options.serves_priority)
    return refuse(ErrorCode::unsupported,
                  "priority = " + std::to_string(request.priority) +
                      ": this scheduler does not serve by priority; expected 0, or a scheduler "
                      "with policy = \"priority\"");
  if (!request.adapter.empty())
    return refuse(ErrorCode::unsupported, "adapter = \"" + request.adapter + "\": scheduler " +
                                              scheduler + " has no adapters");
  return {};
}

Result<void> check_alive(const Request& request, Time now) {
  if (request.context->cancelled.load(std::memory_order_relaxed))
    return refuse(ErrorCode::cancelled, "the client took the request back");
  if (request.deadline && *request.deadline <= now)
    return refuse(ErrorCode::deadline, "the deadline passed before the request was scheduled");
  return {};
}

Result<void> check_prompt(const std::vector<TokenId>& ids, const Options& options,
                          std::int32_t vocab_size) {
  if (ids.empty())
    return refuse(ErrorCode::invalid_argument, "the prompt is empty: expected one token or more");
  const auto bad =
      std::find_if(ids.begin(), ids.end(), [&](TokenId id) { return id < 0 || id >= vocab_size; });
  if (bad != ids.end())
    return refuse(ErrorCode::invalid_argument, "token " + std::to_string(*bad) + " at position " +
                                                   std::to_string(bad - ids.begin()) +
                                                   " of the prompt: expected 0 to " +
                                                   std::to_string(vocab_size - 1));
  const auto length = static_cast<std::int64_t>(ids.size());
  if (length >= options.context_len)
    return refuse(ErrorCode::invalid_argument,
                  "the prompt has " + std::to_string(length) + " tokens, the context " +
                      std::to_string(options.context_len) + ": expected at most " +
                      std::to_string(options.context_len - 1) + ", to leave room for an answer");
  const auto pool = options.max_tokens_per_sequence();
  if (length >= pool)
    return refuse(ErrorCode::invalid_argument,
                  "the prompt has " + std::to_string(length) + " tokens, the KV cache " +
                      std::to_string(pool) + ": expected at most " + std::to_string(pool - 1) +
                      ", to leave room for an answer");
  return {};
}

/// An answer that has been asked for in full must fit; without max_tokens it ends where it must.
Result<void> check_length(std::size_t num_prompt, const StopParams& stop, const Options& options) {
  const auto room = options.context_len - static_cast<std::int64_t>(num_prompt);
  if (stop.max_tokens <= room) return {};
  return refuse(ErrorCode::invalid_argument,
                "max_tokens: found " + std::to_string(stop.max_tokens) + "; the prompt has " +
                    std::to_string(num_prompt) + " tokens, the context " +
                    std::to_string(options.context_len) + ": expected at most " +
                    std::to_string(room) + ", or -1 for as many as there is room for");
}

std::vector<TokenId> stop_ids_of(const TokenizedRequest& request) {
  const auto& stop = request.request->stop;
  std::vector<TokenId> ids = stop.stop_token_ids;
  if (!stop.ignore_eos && request.tokens) {
    const auto ends = request.tokens->end_of_generation();
    ids.insert(ids.end(), ends.begin(), ends.end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace

Result<void> check_request(const TokenizedRequest& tokenized, const std::string& scheduler,
                           const Options& options, Time now) {
  const auto& request = *tokenized.request;
  // The model may have padding rows beyond the tokenizer's last token.
  const auto vocab_size = tokenized.tokens ? std::min(tokenized.tokens->size(), options.vocab_size)
                                           : options.vocab_size;
  if (auto good = check_served(request, scheduler, options); !good) return good;
  if (auto good = check_alive(request, now); !good) return good;
  if (auto good = validate(request.sampling, request.stop, vocab_size); !good) return good;
  // With best_of a door asks for as many choices: what the client wrote is what is named.
  const auto* field = request.best_of == request.n && request.n > 1 ? "best_of" : "n";
  if (auto good = validate_choices(request.n, options.max_choices, field); !good) return good;
  if (!request.stop.stop.empty() && !tokenized.tokens)
    return refuse(ErrorCode::unsupported, "stop strings need a tokenizer's token table");
  if (auto good = check_prompt(tokenized.prompt_ids, options, vocab_size); !good) return good;
  return check_length(tokenized.prompt_ids.size(), request.stop, options);
}

std::unique_ptr<Group> make_group(TokenizedRequestPtr tokenized, const Options& options) {
  auto group = std::make_unique<Group>();
  group->request = std::move(tokenized);
  const auto& request = group->params();
  group->num_prompt = group->request->prompt_ids.size();
  group->min_tokens = request.stop.min_tokens;
  group->wants_logprobs = request.sampling.logprobs >= 0;
  group->has_mirostat = request.sampling.mirostat != 0;
  const auto num_prompt = static_cast<std::int64_t>(group->num_prompt_tokens());
  auto max_tokens = options.max_tokens_per_sequence();
  if (request.stop.max_tokens >= 0)
    max_tokens = std::min(max_tokens, num_prompt + std::min(request.stop.max_tokens, max_tokens));
  group->max_tokens = static_cast<std::int32_t>(max_tokens);
  group->stop_ids = stop_ids_of(*group->request);
  if (!request.stop.stop.empty())
    group->stop_strings =
        std::make_shared<const StopStrings>(*StopStrings::build(request.stop.stop));
  group->num_open = request.n;
  group->sequences.resize(static_cast<std::size_t>(request.n));
  for (std::int32_t choice = 0; choice < request.n; ++choice) {
    auto& sequence = group->sequences[static_cast<std::size_t>(choice)];
    sequence.group = group.get();
    sequence.choice = choice;
    sequence.seed = choice_seed(request.sampling.seed.value_or(0), choice);
    sequence.ids = group->request->prompt_ids;
    if (group->stop_strings) sequence.matcher.emplace(group->stop_strings);
  }
  return group;
}

}  // namespace troupe::scheduling
