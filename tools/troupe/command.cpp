#include "command.h"

#include <cstdlib>
#include <filesystem>

namespace troupe::program {
namespace fs = std::filesystem;
namespace {

/// Pipelines that ship with the program: beside it in an installation, in the source folder of a
/// build.
std::string shipped_pipeline(const std::string& name) {
  std::error_code error;
  for (const auto& folder : default_plugin_folders())
    for (const auto& base : {folder / "../pipelines", folder / "../../../../../pipelines"})
      if (const auto file = base / name; fs::is_regular_file(file, error))
        return fs::canonical(file, error).string();
  return name;
}

}  // namespace

void PipelineOptions::add_to(CLI::App& app, const std::string& default_pipeline) {
  pipeline = default_pipeline;
  app.add_option("PIPELINE", pipeline,
                 "pipeline file (TOML), or the name of one that ships with Troupe")
      ->capture_default_str();
  app.add_option("--model", model, "model file (GGUF); the same as --set model.default.path=PATH");
  app.add_option("--config", config_files,
                 "file of values that go before the pipeline's; repeatable");
  app.add_option("--set", set, "KEY=VALUE that goes before all files; repeatable");
  app.add_option("--plugin-path", plugin_path,
                 "folders to look for plugins in first, joined by ':'");
}

std::shared_ptr<Registry> PipelineOptions::registry() const {
  Registry::Options options;
  std::string rest = plugin_path;
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    if (colon != 0) options.folders.emplace_back(rest.substr(0, colon));
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  for (auto& folder : default_plugin_folders())
    options.folders.push_back(std::move(folder));
  return std::make_shared<Registry>(std::move(options));
}

Result<pipeline::PipelineSpec> PipelineOptions::load(const Registry& registry) const {
  pipeline::Overrides overrides;
  overrides.config_files = config_files;
  if (const char* variable = std::getenv("TROUPE_SET")) overrides.environment = variable;
  overrides.set = set;
  overrides.model = model;
  std::error_code error;
  const auto path = fs::exists(pipeline, error) ? pipeline : shipped_pipeline(pipeline);
  return pipeline::load_pipeline(path, overrides, registry);
}

int exit_code_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::invalid_argument:
    case ErrorCode::not_found:
    case ErrorCode::incompatible:
    case ErrorCode::unsupported:
      return kCallerMistake;
    default:
      return kRunFailed;
  }
}

}  // namespace troupe::program
