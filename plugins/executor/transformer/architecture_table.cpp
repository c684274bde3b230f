#include "plugins/executor/transformer/architectures/architecture.h"

#include <string>

namespace troupe::transformer {

// The build makes the list from the names of the files in architectures/.
#define TROUPE_ARCHITECTURE(name) extern const Architecture architecture_##name;
#include "architecture_list.inc"
#undef TROUPE_ARCHITECTURE

namespace {
#define TROUPE_ARCHITECTURE(name) &architecture_##name,
constexpr const Architecture* kArchitectures[] = {
#include "architecture_list.inc"
};
#undef TROUPE_ARCHITECTURE
}  // namespace

std::span<const Architecture* const> architectures() {
  return kArchitectures;
}

Result<model::TransformerSpec> read_transformer_spec(const model::ModelFile& file) {
  const auto name = file.get_string("general.architecture");
  if (!name) return fail_at(file.path().string(), name.error());
  std::string known;
  for (const Architecture* architecture : architectures()) {
    if (architecture->name == *name) {
      auto spec = architecture->read(file);
      if (!spec) return fail_at(file.path().string(), spec.error());
      const auto checked = model::check_transformer(file, *spec);
      if (!checked) return fail_at(file.path().string(), checked.error());
      return spec;
    }
    known += (known.empty() ? "" : ", ") + std::string(architecture->name);
  }
  return fail(ErrorCode::unsupported,
              file.path().string() + ": architecture '" + std::string(*name) +
                  "' is not known to the transformer executor; known: " + known);
}

}  // namespace troupe::transformer
