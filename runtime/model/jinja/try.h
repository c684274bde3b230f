#pragma once
#include "troupe/api/result.h"

#include <utility>

/// `JINJA_TRY(x, expression)`: x names the value of a Result, or the function returns its error.
#define JINJA_TRY(name, expression)                                  \
  auto name##_result = (expression);                                 \
  if (!name##_result) return fail(std::move(name##_result).error()); \
  [[maybe_unused]] auto& name = *name##_result

/// Returns the error of a Result<void>, if there is one.
#define JINJA_CHECK(expression) \
  if (auto checked = (expression); !checked) return fail(std::move(checked).error())
