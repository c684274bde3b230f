#pragma once
#include <stdexcept>
#include <string>

namespace troupe {

/// Thrown by TROUPE_CHECK: an invariant does not hold. It ends the operator, never the host
/// process: the operator's shell catches it and the supervisor takes over.
class CheckFailure : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void check_failed(const char* expression, const char* file, int line) {
  throw CheckFailure(std::string(file) + ":" + std::to_string(line) +
                     ": check failed: " + expression);
}

}  // namespace troupe

/// Always on. For invariants of our own code, never for input from outside.
#define TROUPE_CHECK(expression) \
  ((expression) ? static_cast<void>(0) : ::troupe::check_failed(#expression, __FILE__, __LINE__))

/// As TROUPE_CHECK, in debug builds only: for the loops of a step.
#ifdef NDEBUG
#define TROUPE_DCHECK(expression) static_cast<void>(0)
#else
#define TROUPE_DCHECK(expression) TROUPE_CHECK(expression)
#endif
