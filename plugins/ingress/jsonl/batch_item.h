#pragma once
#include "refusals.h"
#include "troupe/api/event.h"
#include "troupe/api/request.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::jsonl {

/// A request of the file, from its line to its result.
struct BatchItem {
  /// What one choice has so far.
  struct Choice {
    std::string text;
    std::vector<TokenId> ids;
    FinishReason finish = FinishReason::none;
  };
  /// What its terminal event said.
  struct End {
    FinishReason finish = FinishReason::none;
    std::optional<Error> error;
    double retry_after_ms = 0;
    Usage usage;
  };

  std::string name;
  bool openai = false;  // a line of an OpenAI batch: its name is its custom_id
  Request request;      // kept whole until the end: a full queue may make it go again
  Refusals refusals;
  std::vector<Choice> choices;
  End end;

  /// Adds what an event brings.
  void add(const TokenEvent& event);
};
using BatchItemPtr = std::unique_ptr<BatchItem>;

/// The line of a request that was answered; takes the item's texts.
Value result_line(BatchItem& item);

/// The line of a request that failed.
Value error_line(const std::string& name, bool openai, const Error& error);

}  // namespace troupe::jsonl
