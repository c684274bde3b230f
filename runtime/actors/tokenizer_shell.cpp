#include "troupe/actors/tokenizer_shell.h"

#include <algorithm>

namespace troupe::actors {
namespace {

/// Adds the text of the event's tokens up to where a stop string begins. The cut is made in their
/// bytes: in text, replacement characters may stand for some of them.
void decode_event(const Tokenizer& tokenizer, DecodeState& state, TokenEvent& event) {
  const auto tokens = tokenizer.tokens();
  std::size_t keep = 0;
  for (const auto id : event.token_ids)
    keep += tokens->bytes(id).size();
  keep -= std::min<std::size_t>(event.trim_bytes, keep);
  for (const auto id : event.token_ids) {
    const std::size_t size = tokens->bytes(id).size();
    if (size <= keep)
      tokenizer.decode(state, id, event.text);
    else if (keep > 0)
      tokenizer.decode_part(state, id, keep, event.text);
    keep -= std::min(size, keep);
  }
}

/// The text that an echo of the prompt shows: what the client wrote, or what its ids stand for.
std::string echo_of(const Request& request, std::span<const TokenId> ids,
                    const Tokenizer& tokenizer) {
  std::string text;
  for (const auto& piece : request.prompt)
    text += piece.text;
  if (!request.prompt.empty()) return text;
  DecodeState state;
  for (const auto id : ids)
    if (id >= 0 && id < tokenizer.tokens()->size()) tokenizer.decode(state, id, text);
  tokenizer.finish(state, text);
  return text;
}

/// A bad word as token ids: as it is written and, unless it begins with a space, behind one, since
/// vocabularies have other tokens there.
Result<void> encode_bad_word(const std::string& word, const Tokenizer& tokenizer,
                             std::vector<std::vector<TokenId>>& out) {
  for (const auto& text : {word, " " + word}) {
    if (text.size() > word.size() && word.starts_with(' ')) break;
    const PromptPiece piece{text, false};
    auto ids = tokenizer.encode({&piece, 1}, {.add_special = false});
    if (!ids) return fail_at("bad_words", ids.error());
    if (ids->empty())
      return fail(ErrorCode::invalid_argument,
                  "bad_words: a text stands for no token of this model");
    if (std::find(out.begin(), out.end(), *ids) == out.end()) out.push_back(std::move(*ids));
  }
  return {};
}

bool has_text(std::span<const TokenId> ids, const TokenTable& tokens) {
  return std::any_of(ids.begin(), ids.end(), [&](TokenId id) {
    return id >= 0 && id < tokens.size() && !tokens.bytes(id).empty();
  });
}

}  // namespace

caf::behavior TokenizerShell::make_behavior() {
  return with_common({[this](EventsMessage& message) {
    events().leave();
    on_events(std::move(*message.events));
  }});
}

void TokenizerShell::on_events(std::vector<TokenEvent> events) {
  pass_events(std::move(events), [this](TokenEvent& event) {
    auto decoded = guarded([&] { add_text(event); });
    if (!decoded && !event.error) fail_event(event, decoded.error().at(host().name()));
    if (event.last) forget(event.context->id);
  });
}

void TokenizerShell::forget(RequestId request) {
  const auto first = decoding_.lower_bound({request, 0});
  auto end = first;
  while (end != decoding_.end() && end->first.first == request)
    ++end;
  decoding_.erase(first, end);
}

void TokenizerShell::add_text(TokenEvent& event) {
  const auto key = std::make_pair(event.context->id, event.choice);
  const auto& tokenizer = host().as<Tokenizer>();
  const bool broken =
      event.finish == FinishReason::error || event.finish == FinishReason::cancelled;
  const bool echoes = !broken && !event.context->echo.empty();
  if (!event.token_ids.empty() || decoding_.contains(key) || echoes) {
    const auto [entry, added] = decoding_.try_emplace(key);
    auto& state = entry->second;
    if (added) state.started = event.context->prompt_has_text;
    if (added && echoes) event.text = event.context->echo;
    decode_event(tokenizer, state, event);
    if (event.finish != FinishReason::none) tokenizer.finish(state, event.text);
  }
  if (event.finish != FinishReason::none) decoding_.erase(key);
}

Value TokenizerShell::stats() {
  Value stats = Shell::stats();
  stats.set("decoding", static_cast<std::int64_t>(decoding_.size()));
  return stats;
}

caf::behavior EncoderShell::make_behavior() {
  return with_common({
      [this](RequestMessage& message) {
        requests().leave();
        on_request(std::move(message.request));
      },
  });
}

Result<std::vector<TokenId>> EncoderShell::prompt_ids(const Request& request) {
  if (!request.prompt_ids.empty()) return request.prompt_ids;
  const bool chat = request.kind == RequestKind::chat;
  if (chat && request.prompt.empty())
    return fail(
        ErrorCode::invalid_argument,
        "found chat messages, but no stage of this pipeline turns them into a prompt; expected "
        "one with plugin = \"chat_template\", or a request with 'prompt'");
  // A chat template writes the tokens the model wants around a prompt by itself.
  const EncodeOptions options{.add_special = !chat};
  return host().as<Tokenizer>().encode(request.prompt, options, &request.context->cancelled);
}

Result<std::shared_ptr<TokenizedRequest>> EncoderShell::encode(
    const std::shared_ptr<Request>& request) {
  auto ids = prompt_ids(*request);
  if (!ids) return fail(ids.error());
  const auto& tokenizer = host().as<Tokenizer>();
  auto tokenized = std::make_shared<TokenizedRequest>();
  tokenized->prompt_ids = std::move(*ids);
  tokenized->tokens = tokenizer.tokens();
  for (const auto& word : request->sampling.bad_words)
    if (auto good = encode_bad_word(word, tokenizer, tokenized->bad_words); !good)
      return fail(good.error());
  auto& context = *request->context;
  context.prompt_has_text = has_text(tokenized->prompt_ids, *tokenized->tokens);
  context.tokens = tokenized->tokens;
  if (request->echo) context.echo = echo_of(*request, tokenized->prompt_ids, tokenizer);
  tokenized->request = request;
  return tokenized;
}

void EncoderShell::on_request(std::shared_ptr<Request> request) {
  if (request->context->cancelled) return end_request(*request, FinishReason::cancelled);
  auto outcome = guarded([&] { return encode(request); });
  auto tokenized = outcome ? std::move(*outcome) : fail(outcome.error().at(host().name()));
  if (!tokenized && tokenized.error().code() == ErrorCode::cancelled)
    return end_request(*request, FinishReason::cancelled);
  if (!tokenized) return end_request(*request, FinishReason::error, tokenized.error());
  const auto& to = outlets().requests.front();
  if (!to.requests->try_enter()) return end_request(*request, FinishReason::error, queue_full(to));
  send(to.actor, TokenizedMessage{std::move(*tokenized)});
}

}  // namespace troupe::actors
