#pragma once
#include "troupe/api/result.h"

#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace troupe {

/// Calls `function` on a thread of its own and waits at most `limit` for it. A call that takes
/// longer is left behind: its thread goes on with its own copy of everything it uses, and its value
/// is dropped. Errors: deadline, internal (it threw; the message says what).
template <class Function, class T = std::invoke_result_t<Function>>
Result<T> call_within(std::chrono::milliseconds limit, Function function) {
  auto promise = std::make_shared<std::promise<T>>();
  auto future = promise->get_future();
  std::thread([promise, function = std::move(function)]() mutable {
    try {
      promise->set_value(function());
    } catch (...) {
      promise->set_exception(std::current_exception());
    }
  }).detach();
  if (future.wait_for(limit) != std::future_status::ready)
    return fail(ErrorCode::deadline,
                "it did not return within " + std::to_string(limit.count()) + " ms");
  try {
    return future.get();
  } catch (const std::exception& error) {
    return fail(ErrorCode::internal, std::string("it threw: ") + error.what());
  } catch (...) {
    return fail(ErrorCode::internal, "it threw something that is no std::exception");
  }
}

}  // namespace troupe
