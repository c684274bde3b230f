#pragma once
#include "troupe/plugin/registry.h"

#include <string>
#include <string_view>

namespace troupe::program {

/// All there is to know of a plugin, from its descriptor and its file: kind, name, summary, source,
/// params, ports, traits, library, build, api_version, abi. None of its code runs but what loading
/// the library runs. Errors: those of Registry::find and locate.
Result<Value> inspect_value(const Registry& registry, OperatorKind kind, std::string_view name);

/// The same for people, ending in a line break.
std::string inspect_text(const Value& plugin);

}  // namespace troupe::program
