#pragma once
#include "troupe/api/plugin.h"

#include <filesystem>

namespace troupe {

/// Reads the identity a plugin carries in its ELF section .troupe.plugin, from the file and without
/// loading the library, so that none of its code runs. Errors: not_found (no such file),
/// incompatible (no ELF library of this machine, or no plugin of ours).
Result<PluginIdentity> read_identity(const std::filesystem::path& library);

/// Whether this program can load a library with that identity: same API version, same ABI.
/// Errors: incompatible, naming both sides.
Result<void> check_identity(const PluginIdentity& identity);

}  // namespace troupe
