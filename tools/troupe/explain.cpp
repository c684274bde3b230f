#include "troupe/pipeline/explain.h"

#include "command.h"
#include "troupe/core/json.h"
#include "troupe/pipeline/toml_source.h"

#include <cstdio>
#include <filesystem>

namespace troupe::program {
namespace {

struct ExplainOptions {
  std::string first;   // the key, or the pipeline when there is no second
  std::string second;  // the pipeline; the other way round is understood as well
  PipelineOptions pipeline;
  bool json = false;
};

bool names_pipeline(const std::string& word) {
  std::error_code error;
  return word.ends_with(".toml") || std::filesystem::exists(find_pipeline(word), error);
}

/// Takes the arguments apart and returns the key; it is empty when none was given.
std::string read_arguments(ExplainOptions& options) {
  auto key = options.first;
  auto pipeline = options.second;
  if (pipeline.empty() ? names_pipeline(key) : names_pipeline(key) && !names_pipeline(pipeline))
    std::swap(key, pipeline);
  options.pipeline.pipeline = pipeline.empty() ? "chat.toml" : pipeline;
  return key;
}

void list_keys(const pipeline::PipelineSpec& spec, bool json) {
  if (json) {
    Value::Array keys;
    for (const auto& key : spec.keys)
      keys.push_back(pipeline::explain_value(key));
    std::printf("%s\n", to_json(keys).c_str());
    return;
  }
  std::printf("%s\n", pipeline::precedence_text().c_str());
  for (const auto& key : spec.keys) {
    const auto& setting = key.current();
    const auto line = key.key + " = " + pipeline::to_toml(setting.value);
    const auto origin =
        setting.layer == "default" ? setting.layer : setting.layer + ", " + setting.where.text();
    std::printf("%-56s # %s\n", line.c_str(), origin.c_str());
  }
}

Outcome explain(ExplainOptions& options) {
  const auto key_name = read_arguments(options);
  const auto loaded = options.pipeline.load();
  if (!loaded) return fail(loaded.error());
  if (key_name.empty()) {
    list_keys(loaded->spec, options.json);
    return kDone;
  }
  const auto key = pipeline::find_key(loaded->spec, key_name);
  if (!key) return fail(key.error());
  const auto text =
      options.json ? to_json(pipeline::explain_value(**key)) + "\n" : pipeline::explain_text(**key);
  std::fputs(text.c_str(), stdout);
  return kDone;
}

}  // namespace

void add_explain(CommandLine& program) {
  auto options = std::make_shared<ExplainOptions>();
  auto& command =
      program.command("explain", "say what a key of a pipeline is and where its value comes from");
  command.argument("KEY", options->first,
                   "a key such as scheduler.max_batch_tokens; without one: all keys");
  command.argument("PIPELINE", options->second,
                   "pipeline file, or the name of one that ships with Troupe; without one: chat");
  options->pipeline.add_values_to(command);
  command.flag("--json", options->json, "print JSON");
  command.example("troupe explain scheduler.max_batch_tokens chat", "one key");
  command.example("troupe explain chat --set executor.threads=2", "all of them, and who wins");
  command.run([options] { return explain(*options); });
}

}  // namespace troupe::program
