#pragma once
#include "bench/figures.h"
#include "troupe/engine/engine.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace troupe::program {

/// What one request of a load went through.
struct RequestFigures {
  double ttft_ms = 0;          // from its sending to its first token
  std::vector<double> itl_ms;  // between one event with tokens and the next
  std::int64_t tokens = 0;
  std::int64_t cached_tokens = 0;
};

/// What a load went through: all its requests, in the order of their ends.
struct LoadFigures {
  double seconds = 0;
  std::vector<RequestFigures> requests;

  /// Adds to a run what every bench reports: requests and tokens per second, quantiles of the times
  /// to the first token and between tokens.
  void add_to(Value& run) const;
};

/// A request and when it is sent, from the beginning of the load.
struct Arrival {
  Clock::duration at{};
  Request request;
};

/// A closed loop: keeps `clients` requests under way, each client's next one made by `next` when
/// its last one has ended, until `next` gives none. `next` is called by one thread at a time;
/// `on_tokens`, if there is one, whenever a request got tokens, by any thread.
/// Errors: the first one of a request.
Result<LoadFigures> run_clients(Engine& engine, std::int64_t clients,
                                std::function<std::optional<Request>()> next,
                                std::function<void()> on_tokens = {});

/// An open loop: sends each request when its time has come, whatever became of the others.
/// Pre: `arrivals` are in order of time. Errors: the first one of a request.
Result<LoadFigures> run_arrivals(Engine& engine, std::vector<Arrival> arrivals);

}  // namespace troupe::program
