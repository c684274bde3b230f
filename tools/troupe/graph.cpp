#include "command.h"
#include "troupe/core/json.h"
#include "troupe/pipeline/print_spec.h"

#include <cstdio>

namespace troupe::program {
namespace {

std::string draw(const pipeline::PipelineSpec& spec, const std::string& format) {
  if (format == "svg") return pipeline::print_svg(spec);
  if (format == "mermaid") return pipeline::print_mermaid(spec);
  if (format == "json") return to_json(pipeline::print_value(spec)) + "\n";
  return pipeline::print_dot(spec);
}

Outcome graph(const PipelineOptions& options, const std::string& format) {
  const auto loaded = options.load();
  if (!loaded) return fail(loaded.error());
  std::fputs(draw(loaded->spec, format).c_str(), stdout);
  return kDone;
}

}  // namespace

void add_graph(CommandLine& program) {
  struct Options {
    PipelineOptions pipeline;
    std::string format = "dot";
  };
  auto options = std::make_shared<Options>();
  auto& command = program.command("graph", "draw a pipeline: its operators and what they send");
  options->pipeline.add_to(command, "");
  command.option("--format NAME", options->format, "dot, svg, mermaid or json");
  command.choices({"dot", "svg", "mermaid", "json"});
  command.example("troupe graph chat --format svg > chat.svg", "a picture for the browser");
  command.example("troupe graph my.toml | dot -Tpng > my.png", "through Graphviz");
  command.run([options] { return graph(options->pipeline, options->format); });
}

}  // namespace troupe::program
