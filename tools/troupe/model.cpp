#include "command.h"
#include "open_engine.h"
#include "troupe/core/json.h"
#include "troupe/model/model_info.h"
#include "troupe/model/tiny_model.h"

#include <cstdio>

namespace troupe::program {
namespace {

/// The precisions that a run of the shipped pipelines would use.
model::RunPrecision run_precision() {
  const auto value_of = [](std::string_view name) -> std::string {
    for (const auto& param : pipeline::model_params())
      if (param.name == name && param.default_value.size() > 2)
        return std::string(param.default_value.substr(1, param.default_value.size() - 2));
    return {};
  };
  return {value_of("activations"), value_of("kv_precision")};
}

/// The values a key of [model.NAME] may have, without the empty one that stands for the default.
std::vector<std::string> choices_of(std::string_view name) {
  std::vector<std::string> choices;
  for (const auto& param : pipeline::model_params()) {
    if (param.name != name) continue;
    for (auto rest = param.choices; !rest.empty();) {
      const auto one = rest.substr(0, rest.find('|'));
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
      if (!one.empty()) choices.emplace_back(one);
    }
  }
  return choices;
}

Value available_precisions() {
  Value available;
  for (const auto* name : {"activations", "kv_precision"}) {
    Value::Array list;
    for (auto& choice : choices_of(name))
      list.emplace_back(std::move(choice));
    available.set(name, std::move(list));
  }
  return available;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

Outcome info(const std::string& path, bool json) {
  if (auto file = check_model_file(path, "FILE"); !file) return fail(file.error());
  const auto file = model::open_model(path);
  if (!file) return fail(file.error());
  const auto info = model::read_model_info(**file, run_precision());
  if (!info) return fail_at(path, info.error());
  if (json) {
    auto value = to_value(*info);
    value.set("available_precisions", available_precisions());
    std::printf("%s\n", to_json(value).c_str());
    return kDone;
  }
  std::fputs(to_text(*info).c_str(), stdout);
  std::printf(
      "other precisions: --set model.default.activations=%s; "
      "--set model.default.kv_precision=%s\n",
      joined(choices_of("activations")).c_str(), joined(choices_of("kv_precision")).c_str());
  return kDone;
}

Outcome write_tiny(const std::string& path, std::int64_t seed, std::int64_t sliding_window) {
  model::TinyModelOptions options;
  options.seed = static_cast<std::uint64_t>(seed);
  options.sliding_window = sliding_window;
  if (auto written = model::write_tiny_model(path, options); !written) return fail(written.error());
  return kDone;
}

}  // namespace

void add_model(CommandLine& program) {
  struct Options {
    std::string path;
    std::string output;
    bool json = false;
    std::int64_t seed = 1;
    std::int64_t sliding_window = 0;
  };
  auto options = std::make_shared<Options>();
  auto& command = program.command("model", "look at a model file, or write a tiny one");
  auto& show = command.command(
      "info", "architecture, sizes, precision, KV bytes per token, special tokens, chat template");
  show.argument("FILE", options->path, "model file (GGUF)", Need::required);
  show.flag("--json", options->json, "print one JSON object");
  show.example("troupe model info model.gguf", "what the file says, and what a run would use");
  show.example("troupe model info model.gguf --json", "the same for programs");
  show.run([options] { return info(options->path, options->json); });

  auto& tiny = command.command(
      "tiny", "write a model of 100 thousand random weights, for tests that need no real one");
  tiny.argument("FILE", options->output, "file to write (GGUF)", Need::required);
  tiny.option("--seed S", options->seed, "other weights for every seed");
  tiny.option("--sliding-window W", options->sliding_window,
              "positions that a token sees in every layer, 0 = all");
  tiny.example("troupe model tiny tiny.gguf", "then: troupe run --model tiny.gguf --prompt Hi");
  tiny.run(
      [options] { return write_tiny(options->output, options->seed, options->sliding_window); });
}

}  // namespace troupe::program
