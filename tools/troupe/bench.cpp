#include "bench/benches.h"
#include "command.h"

namespace troupe::program {

void add_bench(CommandLine& program) {
  auto& command = program.command("bench", "measure parts of the runtime");
  add_step_overhead(command);
  add_serving(command);
}

}  // namespace troupe::program
