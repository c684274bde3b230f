#pragma once
#include "golden_text.h"
#include "troupe/api/plugin.h"
#include "troupe/testing/fake_resources.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::golden {

/// A model that fixtures exist for: the stem of their file names, and where its own file lies.
struct GoldenModel {
  std::string_view stem;
  std::optional<std::filesystem::path> (*locate)();  // nullopt when absent
  std::string_view absence;                          // why a test skips then, and what to do

  std::filesystem::path fixture(std::string_view suffix) const;
};

/// The default model and stories260K.
extern const GoldenModel kGoldenModels[2];

/// Resources whose model "main" is the file at `path`. Errors: those of model::open_model, and
/// incompatible when it is not the file that the fixture was made from (its size tells).
Result<std::shared_ptr<testing::FakeResources>> resources_for(const std::filesystem::path& path,
                                                              const ModelIdentity& identity);

/// The operator of a plugin of this build, configured with its defaults and `given`, and started.
/// Errors: those of the registry, of complete_params and of the operator.
Result<std::shared_ptr<Operator>> start_plugin(OperatorKind kind, std::string_view name,
                                               const Value::Object& given, Resources& resources);

}  // namespace troupe::golden
