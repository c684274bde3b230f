#include "troupe/model/gguf/gguf_file.h"

#include "troupe/model/gguf/name_index.h"
#include "troupe/model/gguf/reader.h"

#include <string_view>
#include <utility>
#include <vector>

namespace troupe::model::gguf {
namespace {

class GgufFile final : public ModelFile {
 public:
  GgufFile(std::filesystem::path path, std::shared_ptr<const MappedFile> file, Contents contents)
      : path_(std::move(path)), file_(std::move(file)), contents_(std::move(contents)) {
    std::vector<std::string_view> names;
    for (const auto& tensor : contents_.tensors)
      names.emplace_back(tensor.name);
    tensor_index_ = NameIndex(names);
    metadata_index_ = NameIndex(metadata_keys());
  }

  const std::filesystem::path& path() const override { return path_; }

  const MetadataValue* metadata(std::string_view key) const override {
    const auto position = metadata_index_.find(key);
    return position ? &contents_.metadata[*position].value : nullptr;
  }

  std::vector<std::string_view> metadata_keys() const override {
    std::vector<std::string_view> keys;
    for (const auto& entry : contents_.metadata)
      keys.push_back(entry.key);
    return keys;
  }

  std::span<const TensorInfo> tensors() const override { return contents_.tensors; }

  const TensorInfo* tensor(std::string_view name) const override {
    const auto position = tensor_index_.find(name);
    return position ? &contents_.tensors[*position] : nullptr;
  }

 private:
  std::filesystem::path path_;
  std::shared_ptr<const MappedFile> file_;
  Contents contents_;
  NameIndex metadata_index_;
  NameIndex tensor_index_;
};

}  // namespace

Result<std::shared_ptr<const ModelFile>> read_gguf_file(std::filesystem::path path,
                                                        std::shared_ptr<const MappedFile> file) {
  auto contents = parse(file->bytes());
  if (!contents) return fail(contents.error());
  return std::make_shared<const GgufFile>(std::move(path), std::move(file), std::move(*contents));
}

}  // namespace troupe::model::gguf
