#pragma once
#include "troupe/model/jinja/loop_state.h"

#include <string_view>

namespace troupe::model::jinja {

/// What `loop.name` is; absent for names that `loop` does not have.
Var loop_attribute(const LoopState& loop, std::string_view name);

}  // namespace troupe::model::jinja
