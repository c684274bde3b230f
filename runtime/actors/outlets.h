#pragma once
#include "troupe/actors/mailbox_gauge.h"

#include <caf/all.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::actors {

/// Another operator as a sender sees it.
struct Inlet {
  std::string name;
  caf::actor actor;
  std::shared_ptr<MailboxGauge> requests;  // full: the request is refused
  std::shared_ptr<MailboxGauge> events;    // full: the schedulers behind it wait
};

/// Where an operator's messages go, made from the pipeline's wires.
struct Outlets {
  std::vector<Inlet> requests;            // next on the request path; a router has several
  std::map<std::uint32_t, Inlet> events;  // next hop towards the door with that operator index
  std::map<std::uint32_t, Inlet> doors;   // every door, for what must go there directly
  std::vector<caf::actor> schedulers;     // all, for what must be cancelled
  Inlet scheduler, kv_cache, executor, sampler;  // of the same token loop
  caf::actor supervisor;
};

/// Tells an actor its outlets; the first message it gets.
struct ConnectMessage {
  std::shared_ptr<const Outlets> outlets;
};

}  // namespace troupe::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::ConnectMessage)
