#pragma once
#include "prefix_hash.h"
#include "troupe/api/result.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe::paged {

/// Where the chains of blocks begin: one root per pair of salt and adapter, for as long as a
/// sequence or a block refers to it. They are told apart by their text; hashes play no part.
class PrefixRoots {
 public:
  struct Root {
    std::uint64_t id = 0;  // 0: not in use
    Hash128 hash;
    std::uint32_t users = 0;
    std::map<std::string, std::uint32_t, std::less<>>::iterator place;
  };

  void reset();
  std::optional<std::uint32_t> find(std::string_view salt, std::string_view adapter);
  /// The index of the root, made with `new_id` if there is none, without a further user.
  std::uint32_t find_or_add(std::string_view salt, std::string_view adapter, std::uint64_t new_id,
                            const HashFunction& hash);
  void add_user(std::uint32_t root) { ++roots_[root].users; }
  void remove_user(std::uint32_t root);

  const Root& at(std::uint32_t root) const { return roots_[root]; }
  std::size_t size() const { return by_key_.size(); }

  /// Compares with users counted from outside, one number per index below num_indices().
  /// Errors: internal.
  Result<void> check(const std::vector<std::uint32_t>& counted_users) const;
  std::size_t num_indices() const { return roots_.size(); }

 private:
  std::map<std::string, std::uint32_t, std::less<>> by_key_;
  std::vector<Root> roots_;
  std::vector<std::uint32_t> unused_;
  std::string key_;  // to look up without allocation
};

}  // namespace troupe::paged
