// The part of BatchScheduler that takes requests or refuses them.
#include "troupe/scheduling/admission.h"
#include "troupe/scheduling/batch_scheduler.h"
#include "troupe/scheduling/events.h"

#include <algorithm>
#include <string>

namespace troupe::scheduling {

void BatchScheduler::admit(TokenizedRequestPtr request, Time now, EventSink& events) {
  double retry_after_ms = 0;
  auto good = check_request(*request, name_, options_, now);
  if (good && groups_.contains(request->request->context->id))
    good =
        fail(ErrorCode::invalid_argument,
             "request " + std::to_string(request->request->context->id.value) + " is already here");
  const bool wants_step =
      request->request->stop.max_tokens != 0 || request->request->wants_prompt_logprobs();
  if (good && wants_step) good = check_room(*request, now, retry_after_ms);
  if (!good) {
    ++stats_.refused;
    events.emit(make_refusal(*request, good.error(), retry_after_ms, now));
    return;
  }
  ++stats_.accepted;
  auto group = make_group(std::move(request), options_);
  if (!wants_step) {
    ++stats_.finished;
    return end_without_tokens(*group, now, events);
  }
  enter(std::move(group));
}

Result<void> BatchScheduler::check_room(const TokenizedRequest& request, Time now,
                                        double& retry_after_ms) const {
  const auto check = [&](const char* whose, std::int64_t waiting,
                         std::int64_t most) -> Result<void> {
    const auto too_many = waiting + request.request->n - most;
    if (too_many <= 0) return {};
    retry_after_ms = this->retry_after_ms(too_many);
    return fail(ErrorCode::resource_exhausted,
                std::string(whose) + " is full: " + std::to_string(waiting) +
                    " sequences wait, at most " + std::to_string(most) + " may; try again later");
  };
  if (auto good = check("the queue", line_.size() + following_, options_.max_waiting); !good)
    return good;
  if (options_.max_waiting_per_tenant > 0) {
    std::int64_t waiting = 0;
    for (const auto& [id, group] : groups_)
      if (group->params().tenant == request.request->tenant)
        waiting += std::count_if(group->sequences.begin(), group->sequences.end(),
                                 [](const Sequence& s) { return s.state == State::waiting; });
    if (auto good = check("the queue of this tenant", waiting, options_.max_waiting_per_tenant);
        !good)
      return good;
  }
  auto in_time = check_deadline(request, now);
  if (!in_time) retry_after_ms = this->retry_after_ms(std::max<std::int64_t>(1, line_.size()));
  return in_time;
}

Result<void> BatchScheduler::check_deadline(const TokenizedRequest& request, Time now) const {
  if (!options_.refuse_late || !request.request->deadline) return {};
  const auto estimate = estimate_first_token_ms(request);
  const double left = ms_between(now, *request.request->deadline);
  if (!estimate || *estimate <= left) return {};
  return fail(ErrorCode::deadline, "the deadline is in " +
                                       std::to_string(static_cast<std::int64_t>(left)) +
                                       " ms, and the first token would come in about " +
                                       std::to_string(static_cast<std::int64_t>(*estimate)) +
                                       " ms: give more time, or try when fewer wait");
}

std::optional<double> BatchScheduler::estimate_first_token_ms(
    const TokenizedRequest& request) const {
  const auto us = cost_.prefill_us_per_token();
  if (!us) return std::nullopt;
  auto tokens = line_.num_tokens() + static_cast<std::int64_t>(request.prompt_ids.size());
  for (const Sequence* sequence : running_)
    tokens += sequence->num_uncomputed() - 1;
  const auto seats = options_.max_num_seqs - static_cast<std::int64_t>(running_.size());
  const auto ends_to_wait_for = std::max<std::int64_t>(0, line_.size() + 1 - seats);
  return static_cast<double>(tokens) * *us / 1000 +
         static_cast<double>(ends_to_wait_for) * ms_per_end_;
}

double BatchScheduler::retry_after_ms(std::int64_t num_ends) const {
  constexpr double kUnknown = 1000;
  if (ms_per_end_ <= 0) return kUnknown;
  return std::clamp(ms_per_end_ * static_cast<double>(num_ends), 1.0, 60000.0);
}

}  // namespace troupe::scheduling
