#include "command.h"

namespace troupe::program {

void add_commands(CommandLine& program) {
  for (const auto add : {add_run, add_chat, add_serve, add_batch, add_tokenize, add_detokenize,
                         add_render, add_score, add_model, add_check, add_graph, add_explain,
                         add_inspect, add_bench, add_completion, add_version})
    add(program);
}

}  // namespace troupe::program
