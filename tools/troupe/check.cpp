#include "command.h"

#include <cstdio>

namespace troupe::program {
namespace {

Outcome check(const PipelineOptions& options) {
  const auto loaded = options.load();
  if (!loaded) return fail(loaded.error());
  const auto& spec = loaded->spec;
  std::printf("%s: pipeline '%s' is sound: %zu operators, %zu wires, %zu token loops, %zu models\n",
              spec.source.c_str(), spec.name.c_str(), spec.operators.size(), spec.wires.size(),
              spec.loops.size(), spec.models.size());
  return kDone;
}

}  // namespace

void add_check(CommandLine& program) {
  auto options = std::make_shared<PipelineOptions>();
  auto& command = program.command(
      "check", "check a pipeline as a whole: operators, wires, parameters; nothing is loaded");
  options->add_to(command, "");
  command.example("troupe check my.toml", "every fault with its place, exit code 2");
  command.example("troupe check chat --config laptop.toml --set scheduler.max_batch_tokens=256",
                  "with the values of a file and a flag");
  command.run([options] { return check(*options); });
}

}  // namespace troupe::program
