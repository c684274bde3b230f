#include "command.h"

#include <cstdio>
#include <exception>

namespace troupe::program {
namespace {

/// Every command, in the order of the help page.
constexpr Command (*kCommands[])(CLI::App&) = {add_run};

int report(const Outcome& outcome) {
  if (outcome) return *outcome;
  std::fprintf(stderr, "error: %s\n", outcome.error().message().c_str());
  return exit_code_of(outcome.error());
}

int run_program(int argc, char** argv) {
  CLI::App app{"Troupe: an actor-based, modular inference runtime for large language models",
               "troupe"};
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "the help of every command");
  std::vector<Command> commands;
  for (const auto add : kCommands)
    commands.push_back(add(app));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kCallerMistake;
  }
  for (const auto& command : commands)
    if (command.app->parsed()) return report(command.run());
  return kCallerMistake;
}

}  // namespace
}  // namespace troupe::program

int main(int argc, char** argv) {
  try {
    return troupe::program::run_program(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return troupe::program::kRunFailed;
  }
}
