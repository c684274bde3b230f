#include "command.h"
#include "inspect_plugin.h"
#include "troupe/core/json.h"
#include "troupe/core/nearest_name.h"

#include <algorithm>
#include <cstdio>

namespace troupe::program {
namespace {

/// An operator of the catalog.
struct Listed {
  OperatorKind kind{};
  std::string name;
};

std::vector<Listed> list_all(const Catalog& catalog) {
  std::vector<Listed> all;
  for (std::size_t kind = 0; kind < std::size(kOperatorKindNames); ++kind)
    for (const auto& name : catalog.names(static_cast<OperatorKind>(kind)))
      all.push_back({static_cast<OperatorKind>(kind), name});
  return all;
}

/// Those that "NAME", "KIND" or "KIND/NAME" means. Errors: not_found, with the nearest name.
Result<std::vector<Listed>> select(const std::vector<Listed>& all, const std::string& word) {
  std::vector<Listed> found;
  std::vector<std::string> names;
  for (const auto& one : all) {
    const auto path = std::string(to_string(one.kind)) + "/" + one.name;
    if (word == one.name || word == path || word == to_string(one.kind)) found.push_back(one);
    names.push_back(word.find('/') == std::string::npos ? one.name : path);
  }
  if (!found.empty()) return found;
  std::ranges::sort(names);
  return fail(ErrorCode::not_found, "found no plugin '" + word + "'" + suggest(word, names));
}

/// One line each; a plugin that does not fit this program shows why.
void print_table(const Catalog& catalog, const std::vector<Listed>& all) {
  std::printf("%-10s %-16s %s\n", "kind", "name", "what it does");
  for (const auto& one : all) {
    const auto spec = catalog.find(one.kind, one.name);
    const auto text =
        spec ? std::string((*spec)->summary) : "cannot be used: " + spec.error().message();
    std::printf("%-10s %-16s %s\n", std::string(to_string(one.kind)).c_str(), one.name.c_str(),
                text.c_str());
  }
}

Outcome inspect_all(const Registry& registry, const std::vector<Listed>& all, bool json) {
  if (!json) {
    print_table(registry, all);
    return kDone;
  }
  Value::Array list;
  for (const auto& one : all) {
    auto value = inspect_value(registry, one.kind, one.name);
    if (value) {
      list.push_back(std::move(*value));
      continue;
    }
    Value broken;
    broken.set("kind", to_string(one.kind));
    broken.set("name", one.name);
    broken.set("error", value.error().message());
    list.push_back(std::move(broken));
  }
  std::printf("%s\n", to_json(list).c_str());
  return kDone;
}

Outcome inspect_some(const Registry& registry, const std::vector<Listed>& found, bool json) {
  for (const auto& one : found) {
    const auto value = inspect_value(registry, one.kind, one.name);
    if (!value) return fail(value.error());
    if (json)
      std::printf("%s\n", to_json(*value).c_str());
    else
      std::printf("%s%s", &one == found.data() ? "" : "\n", inspect_text(*value).c_str());
  }
  return kDone;
}

Outcome inspect(const PipelineOptions& options, const std::string& word, bool json) {
  const auto registry = options.registry();
  const auto all = list_all(*registry);
  if (word.empty()) return inspect_all(*registry, all, json);
  const auto found = select(all, word);
  if (!found) return fail(found.error());
  if (std::ranges::count(kOperatorKindNames, word) > 0 && found->size() > 1)
    return inspect_all(*registry, *found, json);
  return inspect_some(*registry, *found, json);
}

}  // namespace

void add_inspect(CommandLine& program) {
  struct Options {
    PipelineOptions pipeline;  // for its plugin path alone
    std::string word;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  auto& command = program.command("inspect", "list all plugins, or show one in full");
  command.argument("PLUGIN", options->word, "NAME, KIND or KIND/NAME; without it: all");
  command.flag("--json", options->json, "print JSON");
  command.option("--plugin-path DIR", options->pipeline.plugin_path,
                 "folders to look for plugins in first, joined by ':'");
  command.example("troupe inspect", "all plugins, a line each");
  command.example("troupe inspect sampler/gumbel", "parameters, ports, traits and file of one");
  command.example("troupe inspect continuous --json", "the same for programs");
  command.run([options] { return inspect(options->pipeline, options->word, options->json); });
}

}  // namespace troupe::program
