#pragma once
#include "troupe/api/result.h"
#include "troupe/pipeline/source_location.h"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::pipeline {

/// One thing that is wrong with a pipeline or its configuration.
struct Diagnostic {
  SourceLocation where;
  std::string found;       // what is there: "unknown parameter 'max_batch' of sampler 'gumbel'"
  std::string expected;    // what should be: follows the word "expected"; may be empty
  std::string suggestion;  // the nearest valid name; may be empty
  ErrorCode code = ErrorCode::invalid_argument;

  /// "file:line:column: found; expected ...; did you mean '...'?"
  std::string text() const;
};

/// Collects every fault of an input, so that its author can mend all of them at once.
class Diagnostics {
 public:
  void add(SourceLocation where, std::string found, std::string expected = {},
           std::string suggestion = {}, ErrorCode code = ErrorCode::invalid_argument);
  bool empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }
  /// In the order of files, then of lines.
  std::vector<Diagnostic> sorted() const;
  /// All of them as one error, a line each. Pre: not empty.
  Error to_error() const;

 private:
  std::vector<Diagnostic> list_;  // in the order in which they were found
};

/// 'name', for messages.
std::string in_quotes(std::string_view name);

/// "one of a, b, c", "'a'" or "none", for messages.
std::string one_of(const std::vector<std::string>& names);

/// "a, b, c", for messages; "none" for an empty list.
std::string join_names(const std::vector<std::string>& names);

}  // namespace troupe::pipeline
