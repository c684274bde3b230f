#pragma once
#include "refusals.h"
#include "troupe/api/request.h"
#include "troupe/core/answer.h"

#include <memory>
#include <string>

namespace troupe::jsonl {

/// A request of the file, from its line to its result.
struct BatchItem {
  std::string name;
  bool openai = false;  // a line of an OpenAI batch: its name is its custom_id
  Request request;      // kept whole until the end: a full queue may make it go again
  Refusals refusals;
  Answer answer;                             // what came so far
  FinishReason finish = FinishReason::none;  // what its terminal event said
};
using BatchItemPtr = std::unique_ptr<BatchItem>;

/// The line of a request that was answered.
Value result_line(const BatchItem& item);

/// The line of a request that failed.
Value error_line(const std::string& name, bool openai, const Error& error);

}  // namespace troupe::jsonl
