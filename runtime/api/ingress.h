#pragma once
#include "troupe/api/event.h"
#include "troupe/api/operator.h"
#include "troupe/api/request.h"

#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// Where a door puts its requests. Any thread may call it, until the door's stop has returned.
class RequestSink {
 public:
  virtual ~RequestSink() = default;
  /// Fills in request.context and sends the request on its way. Its events come to
  /// Ingress::deliver, the terminal one exactly once. A pipeline that drains or is full refuses
  /// here: then no event comes. Errors: resource_exhausted, cancelled (shutting down).
  virtual Result<RequestId> submit(Request request) = 0;
  /// Takes a request back. Its terminal event still comes.
  virtual void cancel(RequestId request) = 0;
  /// Tells that this door will send no more requests by itself (a file that was read to its end).
  virtual void finished() = 0;
  /// A line for the operator of the pipeline ("listening on ..."); shown by `troupe serve`.
  virtual void announce(std::string line) = 0;
};

/// A door: brings requests in and events out. May own threads; deliver comes from the runtime's
/// threads, one call at a time, and must not block.
class Ingress : public Operator {
 public:
  /// Opens the door. Called after Operator::start, when all other operators are ready.
  virtual Result<void> open(RequestSink& sink) = 0;
  virtual void deliver(const TokenEvent& event) = 0;
  // Operator::stop closes the door: afterwards nothing calls the sink.
};

/// A door for the program that hosts the runtime.
class EmbedDoor {
 public:
  using OnEvent = std::function<void(const TokenEvent&)>;  // called on the runtime's threads
  virtual ~EmbedDoor() = default;
  /// Errors: those of RequestSink::submit.
  virtual Result<RequestId> submit(Request request, OnEvent on_event) = 0;
  virtual void cancel(RequestId request) = 0;
};

}  // namespace troupe
