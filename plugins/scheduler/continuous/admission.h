#pragma once
#include "options.h"
#include "sequence.h"

#include <memory>

namespace troupe::continuous {

/// Whether a request can be served at all, whatever else runs.
/// Errors: unsupported (a kind or field this scheduler does not serve), invalid_argument (empty or
/// too long a prompt, ids outside the vocabulary, parameters out of range), cancelled, deadline.
Result<void> check_request(const TokenizedRequest& request, const Options& options, Time now);

/// The request with its choices, waiting, nothing computed. Pre: check_request accepts it.
std::unique_ptr<Group> make_group(TokenizedRequestPtr request, const Options& options);

}  // namespace troupe::continuous
