#pragma once
#include "troupe/model/mapped_file.h"
#include "troupe/model/model_file.h"

#include <filesystem>
#include <memory>

namespace troupe::model::gguf {

/// A mapped GGUF file as a ModelFile. `path` is what its path() will say.
/// Errors: as parse (reader.h), without the path.
Result<std::shared_ptr<const ModelFile>> read_gguf_file(std::filesystem::path path,
                                                        std::shared_ptr<const MappedFile> file);

}  // namespace troupe::model::gguf
