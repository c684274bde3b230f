#include "troupe/plugin/registry.h"

#include <cstdlib>
#include <dlfcn.h>
#include <sstream>

namespace troupe {
namespace fs = std::filesystem;

std::vector<fs::path> default_plugin_folders() {
  std::vector<fs::path> folders;
  if (const char* variable = std::getenv("TROUPE_PLUGIN_PATH")) {
    std::istringstream stream(variable);
    for (std::string folder; std::getline(stream, folder, ':');)
      if (!folder.empty()) folders.emplace_back(folder);
  }
  const auto add = [&](const fs::path& folder) {
    std::error_code error;
    if (fs::is_directory(folder, error)) folders.push_back(folder);
  };
  // This library lies in the lib/ folder whose troupe/plugins holds the plugins of the same build.
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&default_plugin_folders), &info) && info.dli_fname) {
    std::error_code error;
    add(fs::canonical(info.dli_fname, error).parent_path() / "troupe" / "plugins");
  }
  return folders;
}

}  // namespace troupe
