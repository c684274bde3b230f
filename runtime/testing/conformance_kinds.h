#pragma once
#include "troupe/api/operator.h"

#include <functional>
#include <memory>

namespace troupe::testing {

/// Makes an operator that is configured and started; nullptr after a reported failure.
using MakeOperator = std::function<std::unique_ptr<Operator>()>;

// What check_kind asks of each kind.
void check_sampler(const MakeOperator& make);
void check_kv_cache(const MakeOperator& make);
void check_scheduler(const MakeOperator& make, const Resources& resources);
void check_tokenizer(const MakeOperator& make);
void check_executor(const MakeOperator& make);
void check_stage(const MakeOperator& make);
void check_router(const MakeOperator& make);

}  // namespace troupe::testing
