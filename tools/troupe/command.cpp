#include "command.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace troupe::program {
namespace fs = std::filesystem;
namespace {

/// Where the pipelines that ship with the program lie: beside the plugins in an installation, in
/// the source folder of a build.
std::vector<fs::path> pipeline_folders() {
  std::vector<fs::path> folders;
  for (const auto& plugins : default_plugin_folders())
    for (const auto& folder : {plugins / "../pipelines", plugins / "../../../../../pipelines"}) {
      std::error_code error;
      if (fs::is_directory(folder, error)) folders.push_back(fs::canonical(folder, error));
    }
  return folders;
}

}  // namespace

std::string find_pipeline(const std::string& name) {
  std::error_code error;
  if (fs::exists(name, error) || name.find('/') != std::string::npos) return name;
  for (const auto& folder : pipeline_folders())
    for (const auto& file : {folder / name, folder / (name + ".toml")})
      if (fs::is_regular_file(file, error)) return file.string();
  return name;
}

std::vector<std::string> shipped_pipelines() {
  std::vector<std::string> names;
  for (const auto& folder : pipeline_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void PipelineOptions::add_to(CommandLine& command, const std::string& default_pipeline) {
  pipeline = default_pipeline;
  command.argument("PIPELINE", pipeline,
                   "pipeline file (TOML), or the name of one that ships with Troupe",
                   default_pipeline.empty() ? Need::required : Need::optional);
  add_values_to(command);
}

void PipelineOptions::add_values_to(CommandLine& command) {
  command.option("--model FILE", model, "model file (GGUF); sets model.default.path");
  command.option("--set KEY=VALUE", set,
                 "value that goes before those of all files; so do those of the variable "
                 "TROUPE_SET=\"KEY=VALUE; ...\"");
  command.option("--config FILE", config_files, "file of values that go before the pipeline's");
  command.option("--plugin-path DIR", plugin_path,
                 "folders to look for plugins in first, joined by ':'");
}

void PipelineOptions::add_engine_values_to(CommandLine& command) {
  command.option("--threads N", threads,
                 "threads that compute, 0 = one per core; sets threads of every executor");
  command.option("--context N", context, "longest sequence in tokens; sets model.default.context");
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

pipeline::Overrides PipelineOptions::overrides() const {
  pipeline::Overrides overrides;
  overrides.config_files = config_files;
  if (const char* variable = std::getenv("TROUPE_SET")) overrides.environment = variable;
  overrides.set = set;
  overrides.model = model;
  if (context) overrides.set.push_back("model.default.context=" + std::to_string(*context));
  return overrides;
}

Result<LoadedPipeline> PipelineOptions::load() const {
  auto plugins = registry();
  auto values = overrides();
  auto spec = pipeline::load_pipeline(find_pipeline(pipeline), values, *plugins);
  if (spec && threads) {
    // Only now it is known what the executors are called.
    for (const auto& op : spec->operators)
      if (op.kind == OperatorKind::executor)
        values.set.push_back(op.name + ".threads=" + std::to_string(*threads));
    spec = pipeline::load_pipeline(find_pipeline(pipeline), values, *plugins);
  }
  if (spec) return LoadedPipeline{std::move(plugins), std::move(*spec)};
  std::error_code error;
  if (spec.error().code() != ErrorCode::not_found || fs::exists(find_pipeline(pipeline), error))
    return fail(spec.error());
  std::string names;
  for (const auto& name : shipped_pipelines())
    names += (names.empty() ? "" : ", ") + name;
  return fail(ErrorCode::not_found,
              spec.error().message() + "\nexpected a file, or a pipeline that ships with Troupe: " +
                  (names.empty() ? "(none found)" : names));
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
