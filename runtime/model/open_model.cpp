#include "troupe/model/gguf/gguf_file.h"
#include "troupe/model/gguf/reader.h"
#include "troupe/model/mapped_file.h"
#include "troupe/model/model_file.h"

namespace troupe::model {

Result<std::shared_ptr<const ModelFile>> open_model(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  if (!file) return fail_at(path.string(), file.error());
  if (!gguf::has_magic((*file)->bytes()))
    return fail(ErrorCode::invalid_argument,
                path.string() +
                    ": not a model file this build reads; expected a GGUF file, which "
                    "begins with the bytes \"GGUF\"");
  auto model = gguf::read_gguf_file(path, *file);
  if (!model) return fail_at(path.string(), model.error());
  return model;
}

}  // namespace troupe::model
