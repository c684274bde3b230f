#include "build_config.h"
#include "command.h"
#include "troupe/api/plugin.h"
#include "troupe/core/json.h"
#include "troupe/device/available_cores.h"
#include "troupe/device/cpu_features.h"

#include <cstdio>

namespace troupe::program {
namespace {

/// The list of libraries as an object from name to version.
Value library_versions() {
  Value versions;
  for (std::string_view rest = TROUPE_LIBRARIES; !rest.empty();) {
    const auto one = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    versions.set(one.substr(0, one.find(' ')), one.substr(one.find(' ') + 1));
  }
  return versions;
}

Value version_value() {
  Value value;
  value.set("version", TROUPE_VERSION);
  value.set("build_type", TROUPE_BUILD_TYPE);
  value.set("compiler", TROUPE_COMPILER);
  value.set("plugin_api", static_cast<std::int64_t>(kApiVersion));
  value.set("plugin_abi", TROUPE_ABI_ID);
  value.set("cpu_level", to_string(cpu_level()));
  value.set("cpu_has_avx512_bf16", cpu_has_avx512_bf16());
  value.set("cores", available_cores());
  value.set("libraries", library_versions());
  return value;
}

std::string text_of(const Value& value) {
  if (value.is_string()) return value.as_string();
  if (!value.is_object()) return to_json(value);
  std::string text;
  for (const auto& [name, version] : value.as_object())
    text += (text.empty() ? "" : ", ") + name + " " + version.as_string();
  return text;
}

Outcome version(bool json) {
  const auto value = version_value();
  if (json) {
    std::printf("%s\n", to_json(value).c_str());
    return kDone;
  }
  std::printf("troupe %s\n", TROUPE_VERSION);
  for (const auto& [key, member] : value.as_object())
    if (key != "version") std::printf("  %-20s %s\n", key.c_str(), text_of(member).c_str());
  return kDone;
}

}  // namespace

void add_version(CommandLine& program) {
  auto json = std::make_shared<bool>(false);
  auto& command = program.command(
      "version", "version, build, compiler, processor level and libraries; also: troupe --version");
  command.flag("--json", *json, "print one JSON object");
  command.example("troupe version --json", "for a bug report");
  command.run([json] { return version(*json); });
}

}  // namespace troupe::program
