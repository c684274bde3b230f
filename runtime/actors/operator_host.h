#pragma once
#include "troupe/actors/guarded.h"
#include "troupe/actors/restart_budget.h"
#include "troupe/api/operator.h"

#include <functional>
#include <memory>
#include <string>

namespace troupe::actors {

/// One operator's object and how to make another: what a shell owns. One thread at a time uses it.
class OperatorHost {
 public:
  /// Creates, configures and starts an object.
  using Build = std::function<Result<std::shared_ptr<Operator>>()>;

  OperatorHost(std::string name, pipeline::RestartSpec restart, Build build)
      : name_(std::move(name)), budget_(restart), build_(std::move(build)) {}
  ~OperatorHost() { stop(); }
  OperatorHost(const OperatorHost&) = delete;
  OperatorHost& operator=(const OperatorHost&) = delete;

  const std::string& name() const { return name_; }

  /// The first build. Errors: those of the plugin, with the operator's name in front.
  Result<void> start();

  /// Stops the object and drops it. Idempotent.
  void stop() noexcept;

  /// Replaces the object by a new one after a failure, if the restart budget allows it.
  /// Errors: internal, with `cause` and the budget, when it does not; those of start.
  Result<void> restart(const Error& cause, Time now);

  /// Pre: started, and the object is of kind T (the loader checked that).
  template <class T>
  T& as() {
    TROUPE_CHECK(object_ != nullptr);
    return dynamic_cast<T&>(*object_);
  }
  /// A share in the object, for one who may outlive the host; nullptr when it is stopped.
  template <class T>
  std::shared_ptr<T> share() const {
    return std::dynamic_pointer_cast<T>(object_);
  }
  bool is_running() const { return object_ != nullptr; }
  int restarts() const { return restarts_; }

 private:
  std::string name_;
  RestartBudget budget_;
  Build build_;
  std::shared_ptr<Operator> object_;
  int restarts_ = 0;
};

}  // namespace troupe::actors
