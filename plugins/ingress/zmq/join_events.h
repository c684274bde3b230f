#pragma once
#include "troupe/api/event.h"

#include <vector>

namespace troupe::zmq_door {

/// Adds an event to those of its request that wait for room: it becomes part of its choice's event,
/// so that no more than one per choice waits, however long the client takes. The last event of the
/// request stays the last. Cost: in proportion to the event.
void join(std::vector<TokenEvent>& waiting, TokenEvent event);

}  // namespace troupe::zmq_door
