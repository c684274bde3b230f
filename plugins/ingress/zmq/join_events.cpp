#include "join_events.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::zmq_door {
namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// `earlier` becomes both; what stands at the end of a choice or request comes from `event`.
void extend(TokenEvent& earlier, TokenEvent event) {
  earlier.text += event.text;
  append(earlier.token_ids, event.token_ids);
  append(earlier.scores, event.scores);
  append(earlier.prompt_scores, event.prompt_scores);
  std::swap(event.text, earlier.text);
  std::swap(event.token_ids, earlier.token_ids);
  std::swap(event.scores, earlier.scores);
  std::swap(event.prompt_scores, earlier.prompt_scores);
  if (event.finish == FinishReason::none) event.finish = earlier.finish;
  if (event.stop_match.empty()) event.stop_match = std::move(earlier.stop_match);
  earlier = std::move(event);
}

}  // namespace

void join(std::vector<TokenEvent>& waiting, TokenEvent event) {
  const bool last = event.last;
  auto it = std::ranges::find(waiting, event.choice, &TokenEvent::choice);
  if (it == waiting.end()) return waiting.push_back(std::move(event));
  extend(*it, std::move(event));
  if (last) std::rotate(it, std::next(it), waiting.end());
}

}  // namespace troupe::zmq_door
