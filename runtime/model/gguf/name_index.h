#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace troupe::model::gguf {

/// Finds a name's position in a list by binary search: no hash that a hostile file could collide.
class NameIndex {
 public:
  NameIndex() = default;
  /// The names' memory must outlive the index.
  explicit NameIndex(std::span<const std::string_view> names);

  /// Position of `name` in the list; nullopt when it is absent.
  std::optional<std::size_t> find(std::string_view name) const;
  /// A name that stands in the list more than once; nullopt when there is none.
  std::optional<std::string_view> duplicate() const;

 private:
  struct Entry {
    std::string_view name;
    std::size_t position;
  };
  std::vector<Entry> entries_;
};

}  // namespace troupe::model::gguf
