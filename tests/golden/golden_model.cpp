#include "golden_model.h"

#include "troupe/core/param_check.h"
#include "troupe/model/model_file.h"
#include "troupe/plugin/registry.h"
#include "troupe/testing/test_data.h"

namespace troupe::golden {
const GoldenModel kGoldenModels[2] = {
    {"smollm2-135m-instruct.q4_1", testing::default_model_file, testing::kNoDefaultModel},
    {"stories260k", testing::stories_model_file, testing::kNoStoriesModel},
};

std::filesystem::path GoldenModel::fixture(std::string_view suffix) const {
  return std::filesystem::path(TROUPE_SOURCE_DIR) / "tests/data/golden" /
         (std::string(stem) + std::string(suffix));
}

Result<std::shared_ptr<testing::FakeResources>> resources_for(const std::filesystem::path& path,
                                                              const ModelIdentity& identity) {
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  if (bytes != identity.bytes)
    return fail(ErrorCode::incompatible, path.string() + ": " + std::to_string(bytes) +
                                             " bytes, the fixture was made from " + identity.file +
                                             " of " + std::to_string(identity.bytes));
  auto model = model::open_model(path);
  if (!model) return fail(model.error());
  auto resources = std::make_shared<testing::FakeResources>();
  resources->models["main"] = std::move(*model);
  return resources;
}

Result<std::shared_ptr<Operator>> start_plugin(OperatorKind kind, std::string_view name,
                                               const Value::Object& given, Resources& resources) {
  const Registry registry({.folders = {TROUPE_BINARY_DIR "/lib/troupe/plugins"}});
  const auto spec = registry.find(kind, name);
  if (!spec) return fail(spec.error());
  const auto params = complete_params((*spec)->params, given);
  if (!params) return fail(params.error());
  auto created = registry.create(kind, name);
  if (!created) return fail(created.error());
  if (auto configured = (*created)->configure(*params); !configured)
    return fail(configured.error());
  if (auto started = (*created)->start(resources); !started) return fail(started.error());
  return created;
}

}  // namespace troupe::golden
