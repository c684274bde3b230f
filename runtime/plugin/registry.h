#pragma once
#include "troupe/plugin/catalog.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// The plugins found as <folder>/<kind>/<name>.so in a list of folders; in an earlier folder wins.
/// A library is loaded when it is first asked for, once its identity was read from the file and
/// found to fit. Any thread may call it.
class Registry final : public Catalog {
 public:
  struct Options {
    std::vector<std::filesystem::path> folders;
    /// How long a plugin's factory may take before it is given up.
    std::chrono::milliseconds create_limit{10000};
  };

  explicit Registry(Options options);

  Result<const OperatorSpec*> find(OperatorKind kind, std::string_view name) const override;
  std::vector<std::string> names(OperatorKind kind) const override;
  Result<std::shared_ptr<Operator>> create(OperatorKind kind, std::string_view name) const override;

  /// The file a plugin comes from, and its identity as the file tells it.
  struct Found {
    std::filesystem::path file;
    PluginIdentity identity;
  };
  Result<Found> locate(OperatorKind kind, std::string_view name) const;

  const std::vector<std::filesystem::path>& folders() const { return options_.folders; }

 private:
  struct Library;
  Result<std::shared_ptr<const Library>> load(OperatorKind kind, std::string_view name) const;

  Options options_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<OperatorKind, std::string>, std::shared_ptr<const Library>> loaded_;
};

/// Where plugins are looked for: the folders of TROUPE_PLUGIN_PATH (joined by a colon), then
/// troupe/plugins beside the shared library of the runtime, so that a build tree and an
/// installation each find their own.
std::vector<std::filesystem::path> default_plugin_folders();

}  // namespace troupe
