#pragma once
#include "troupe/scheduling/options.h"
#include "troupe/scheduling/sequence.h"

#include <memory>
#include <string>

namespace troupe::scheduling {

/// Whether a request can be served at all, whatever else runs.
/// `scheduler`: the name of the plugin. Errors: unsupported (a kind or field this scheduler does
/// not serve), invalid_argument (empty or too long a prompt, ids outside the vocabulary, parameters
/// out of range), cancelled, deadline.
Result<void> check_request(const TokenizedRequest& request, const std::string& scheduler,
                           const Options& options, Time now);

/// The request with its choices, waiting, nothing computed. Pre: check_request accepts it.
std::unique_ptr<Group> make_group(TokenizedRequestPtr request, const Options& options);

}  // namespace troupe::scheduling
