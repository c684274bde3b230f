#include "command.h"

namespace troupe::program {

void add_commands(CommandLine& program) {
  for (const auto add : {add_run, add_tokenize, add_detokenize, add_version})
    add(program);
}

}  // namespace troupe::program
