#include "bench/benches.h"
#include "command.h"

namespace troupe::program {

void add_bench(CommandLine& program) {
  auto& command = program.command("bench", "measure parts of the runtime");
  add_step_overhead(command);
  add_serving(command);
  add_batching(command);
  add_prefix(command);
  add_interference(command);
}

}  // namespace troupe::program
