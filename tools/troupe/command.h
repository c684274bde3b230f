#pragma once
#include "troupe/api/result.h"
#include "troupe/pipeline/load_pipeline.h"
#include "troupe/plugin/registry.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::program {

/// Exit codes of the program.
enum ExitCode : int {
  kDone = 0,
  kRunFailed = 1,      // the run failed
  kCallerMistake = 2,  // usage, pipeline, config or model file
};

/// What a command returns: an exit code, or an error to print, from which the exit code follows.
using Outcome = Result<int>;

/// Adds one command to the program. What it parsed lives in `run`, which is called when the command
/// was given.
struct Command {
  CLI::App* app = nullptr;
  std::function<Outcome()> run;
};

// One file per command, named after it.
Command add_run(CLI::App& program);

/// The options that every command has which opens a pipeline.
struct PipelineOptions {
  std::string pipeline;
  std::string model;
  std::vector<std::string> config_files;
  std::vector<std::string> set;
  std::string plugin_path;

  /// `default_pipeline`: used when the caller names none, such as "chat.toml".
  void add_to(CLI::App& app, const std::string& default_pipeline);

  std::shared_ptr<Registry> registry() const;
  /// The checked pipeline. Errors: those of load_pipeline, for exit code 2.
  Result<pipeline::PipelineSpec> load(const Registry& registry) const;
};

/// Exit code for an error: a fault of the caller's input, or of the run.
int exit_code_of(const Error& error);

}  // namespace troupe::program
