#include "command.h"
#include "standard_files.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace troupe::program {
namespace {

int report(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message().c_str());
  return exit_code_of(error);
}

/// A result that could not be written is a failed run: a full disk, a closed pipe.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::perror("error: standard output");
  return code == kDone ? kRunFailed : code;
}

int run_program(std::vector<std::string> words) {
  // What other programs call it, and what people try first.
  if (!words.empty() && words.front() == "--version") words.front() = "version";
  Program program("troupe",
                  "Troupe: an actor-based, modular inference runtime for large language models");
  add_commands(program.commands());
  const auto parsed = program.parse(words);
  if (!parsed) return report(parsed.error());
  if (!parsed->help.empty()) {
    std::fputs(parsed->help.c_str(), stdout);
    return flushed(kDone);
  }
  const auto outcome = parsed->command->run()();
  return flushed(outcome ? *outcome : report(outcome.error()));
}

}  // namespace
}  // namespace troupe::program

int main(int argc, char** argv) {
  // A file of results must not become standard error.
  if (!troupe::program::occupy_closed_standard_files()) return troupe::program::kRunFailed;
  // A limit on the size of files is met like a full disk: by an error that says so.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return troupe::program::run_program({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return troupe::program::kRunFailed;
  }
}
