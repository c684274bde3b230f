#pragma once
#include "troupe/api/plugin.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Which operators there are, by kind and name.
class Catalog {
 public:
  virtual ~Catalog() = default;

  /// The description of an operator. Nothing is created and no thread is started.
  /// Errors: not_found (the message names the nearest name and lists those of the kind),
  /// incompatible (built for another API version or ABI; the message names both sides).
  virtual Result<const OperatorSpec*> find(OperatorKind kind, std::string_view name) const = 0;

  /// Names of the operators of a kind, sorted.
  virtual std::vector<std::string> names(OperatorKind kind) const = 0;

  /// Creates an operator; its library stays loaded until the object is gone.
  /// Errors: those of find; internal (the factory threw, returned nothing or something of another
  /// kind, or did not return within the time allowed).
  virtual Result<std::shared_ptr<Operator>> create(OperatorKind kind,
                                                   std::string_view name) const = 0;
};

}  // namespace troupe
