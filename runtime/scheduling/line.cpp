#include "troupe/scheduling/line.h"

#include "troupe/api/check.h"

#include <algorithm>
#include <limits>

namespace troupe::scheduling {

void Line::clear() {
  lanes_.clear();
  size_ = 0;
  num_tokens_ = 0;
}

double Line::least_used() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& lane : lanes_)
    if (lane->num_groups > 0) least = std::min(least, lane->used);
  return least;
}

Lane& Line::lane_of(std::string_view name) {
  for (auto& lane : lanes_)
    if (lane->name == name) return *lane;
  if (lanes_.size() >= kMostLanes) forget_idle();
  lanes_.push_back(std::make_unique<Lane>());
  lanes_.back()->name = name;
  const double weight = policy_->weight(name);
  TROUPE_CHECK(weight > 0);
  lanes_.back()->per_token = 1 / weight;
  return *lanes_.back();
}

void Line::forget_idle() {
  auto least = lanes_.end();
  for (auto lane = lanes_.begin(); lane != lanes_.end(); ++lane)
    if ((*lane)->num_groups == 0 && (least == lanes_.end() || (*lane)->used < (*least)->used))
      least = lane;
  if (least != lanes_.end()) lanes_.erase(least);
}

void Line::enter(Group& group) {
  Lane& lane = lane_of(policy_->lane(group.params()));
  if (lane.num_groups == 0)
    if (const double least = least_used(); least < std::numeric_limits<double>::infinity())
      lane.used = std::max(lane.used, least);
  ++lane.num_groups;
  group.lane = &lane;
  group.rank = policy_->rank(group);
}

void Line::leave(Group& group) {
  --group.lane->num_groups;
  group.lane = nullptr;
}

void Line::push(Sequence& sequence) {
  TROUPE_CHECK(sequence.group->lane->waiting.insert(&sequence).second);
  ++size_;
  num_tokens_ += sequence.num_tokens();
}

void Line::remove(Sequence& sequence) {
  TROUPE_CHECK(sequence.group->lane->waiting.erase(&sequence) == 1);
  --size_;
  num_tokens_ -= sequence.num_tokens();
}

std::int64_t Line::num_waiting_in(std::string_view name) const {
  for (const auto& lane : lanes_)
    if (lane->name == name) return static_cast<std::int64_t>(lane->waiting.size());
  return 0;
}

void Line::begin_walk() {
  for (auto& lane : lanes_) {
    lane->cursor = lane->waiting.begin();
    lane->taken = 0;
  }
}

Lane* Line::next_lane() const {
  Lane* next = nullptr;
  for (const auto& lane : lanes_) {
    if (lane->cursor == lane->waiting.end()) continue;
    const double used = lane->used + lane->taken;
    if (next == nullptr || used < next->used + next->taken ||
        (used == next->used + next->taken && ServedBefore()(*lane->cursor, *next->cursor)))
      next = lane.get();
  }
  return next;
}

Sequence* Line::first() const {
  const Lane* lane = next_lane();
  return lane == nullptr ? nullptr : *lane->cursor;
}

void Line::take(std::int64_t num_tokens) {
  Lane* lane = next_lane();
  TROUPE_CHECK(lane != nullptr);
  ++lane->cursor;
  lane->taken += static_cast<double>(num_tokens) * lane->per_token;
}

Sequence* Line::find(const std::function<bool(const Sequence&)>& is) const {
  Sequence* first = nullptr;
  for (const auto& lane : lanes_)
    for (Sequence* sequence : lane->waiting)
      if (is(*sequence) && (first == nullptr || ServedBefore()(sequence, first))) first = sequence;
  return first;
}

Result<void> Line::check() const {
  std::int64_t size = 0, num_tokens = 0;
  for (const auto& lane : lanes_)
    for (const Sequence* sequence : lane->waiting) {
      ++size;
      num_tokens += sequence->num_tokens();
      if (sequence->group->lane != lane.get() || sequence->state != State::waiting)
        return fail(ErrorCode::internal, "sequence " + std::to_string(sequence->id.value) +
                                             " stands in a line that is not its own");
    }
  if (size != size_ || num_tokens != num_tokens_)
    return fail(ErrorCode::internal, "the line has " + std::to_string(size) + " sequences of " +
                                         std::to_string(num_tokens) + " tokens, its books " +
                                         std::to_string(size_) + " of " +
                                         std::to_string(num_tokens_));
  return {};
}

}  // namespace troupe::scheduling
