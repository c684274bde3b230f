#pragma once
#include "command_line.h"

namespace troupe::program {

// One file per bench, named after it; each adds its command to `troupe bench`.
void add_step_overhead(CommandLine& bench);
void add_serving(CommandLine& bench);
void add_batching(CommandLine& bench);
void add_prefix(CommandLine& bench);
void add_interference(CommandLine& bench);

}  // namespace troupe::program
