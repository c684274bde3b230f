#pragma once
#include "troupe/api/result.h"

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

namespace troupe::actors {

/// Calls plugin code: whatever it throws becomes an Error (internal) that says what was thrown, so
/// that no exception leaves an actor.
template <class Function>
auto guarded(Function&& function) -> Result<std::invoke_result_t<Function>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Function>>) {
      std::forward<Function>(function)();
      return {};
    } else {
      return std::forward<Function>(function)();
    }
  } catch (const std::exception& error) {
    return fail(ErrorCode::internal, std::string("the plugin threw: ") + error.what());
  } catch (...) {
    return fail(ErrorCode::internal, "the plugin threw something that is no std::exception");
  }
}

}  // namespace troupe::actors
