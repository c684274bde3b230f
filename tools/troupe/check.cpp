#include "command.h"
#include "open_engine.h"
#include "terminal.h"
#include "troupe/model/model_file.h"

#include <cstdio>

namespace troupe::program {
namespace {

/// Opens the model files: what their headers say, nothing of their weights. A line for each model.
Result<std::string> look_at_models(const pipeline::PipelineSpec& spec) {
  std::string lines;
  for (const auto& table : spec.models) {
    const auto& path = table.params.get_text("path");
    lines += "model '" + table.name + "': ";
    if (path.empty()) {
      lines += "no model file given: not looked at\n";
      continue;
    }
    const auto how = path_option(table.name);
    if (auto there = check_model_file(path, how); !there) return fail(there.error());
    const auto file = model::open_model(path);
    if (!file) return fail(file.error());
    lines += path + ": " + counted((*file)->tensors().size(), "tensor") + "\n";
  }
  return lines;
}

Outcome check(const PipelineOptions& options) {
  const auto loaded = options.load();
  if (!loaded) return fail(loaded.error());
  const auto& spec = loaded->spec;
  const auto models = look_at_models(spec);
  if (!models) return fail(models.error());
  std::printf("%s: pipeline '%s' is sound: %s, %s, %s, %s\n%s", spec.source.c_str(),
              spec.name.c_str(), counted(spec.operators.size(), "operator").c_str(),
              counted(spec.wires.size(), "wire").c_str(),
              counted(spec.loops.size(), "token loop").c_str(),
              counted(spec.models.size(), "model").c_str(), models->c_str());
  return kDone;
}

}  // namespace

void add_check(CommandLine& program) {
  auto options = std::make_shared<PipelineOptions>();
  auto& command = program.command(
      "check", "check a pipeline as a whole: operators, wires, parameters, headers of model files");
  options->add_to(command, "");
  command.example("troupe check my.toml", "every fault with its place, exit code 2");
  command.example("troupe check chat --config laptop.toml --set scheduler.max_batch_tokens=256",
                  "with the values of a file and a flag");
  command.run([options] { return check(*options); });
}

}  // namespace troupe::program
