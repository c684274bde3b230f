#pragma once
#include "command_line.h"
#include "troupe/api/result.h"
#include "troupe/pipeline/load_pipeline.h"
#include "troupe/plugin/registry.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::program {

// One file per command, named after it; each adds its command to the program.
void add_run(CommandLine& program);
void add_chat(CommandLine& program);
void add_serve(CommandLine& program);
void add_batch(CommandLine& program);
void add_tokenize(CommandLine& program);
void add_detokenize(CommandLine& program);
void add_render(CommandLine& program);
void add_score(CommandLine& program);
void add_model(CommandLine& program);
void add_check(CommandLine& program);
void add_graph(CommandLine& program);
void add_explain(CommandLine& program);
void add_inspect(CommandLine& program);
void add_bench(CommandLine& program);
void add_completion(CommandLine& program);
void add_version(CommandLine& program);

/// Declares every command, in the order of the help page.
void add_commands(CommandLine& program);

/// A checked pipeline, and the plugins it was checked against.
struct LoadedPipeline {
  std::shared_ptr<Registry> registry;
  pipeline::PipelineSpec spec;
};

/// The options that every command has which opens a pipeline.
struct PipelineOptions {
  std::string pipeline;
  std::string model;
  std::vector<std::string> config_files;
  std::vector<std::string> set;
  std::string plugin_path;
  std::optional<std::int64_t> threads;
  std::optional<std::int64_t> context;

  /// `default_pipeline`: used when the caller names none, such as "chat.toml". An empty one makes
  /// the argument required.
  void add_to(CommandLine& command, const std::string& default_pipeline);
  /// The same without the argument PIPELINE: for a command that has a pipeline of its own.
  void add_values_to(CommandLine& command);
  /// --threads and --context.
  void add_engine_values_to(CommandLine& command);

  std::shared_ptr<Registry> registry() const;
  pipeline::Overrides overrides() const;
  /// The checked pipeline. Errors: those of load_pipeline, for exit code 2.
  Result<LoadedPipeline> load() const;
};

/// The file of a pipeline that was named: the file itself, else one that ships with Troupe, with or
/// without ".toml"; `name` itself when there is neither.
std::string find_pipeline(const std::string& name);

/// Names of the pipelines that ship with Troupe, without ".toml"; sorted.
std::vector<std::string> shipped_pipelines();

/// Exit code for an error: a fault of the caller's input, or of the run.
int exit_code_of(const Error& error);

}  // namespace troupe::program
