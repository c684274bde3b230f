#pragma once
#include "troupe/api/result.h"
#include "troupe/model/tiny_model.h"

namespace troupe::model::tiny {

/// Whether a tiny model can have these sizes. Errors: invalid_argument naming what does not fit.
Result<void> check_options(const TinyModelOptions& options);

}  // namespace troupe::model::tiny
