#pragma once
#include "troupe/api/result.h"
#include "troupe/model/model_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::model {

/// Reads the keys "<architecture>.<name>" of a file into fields, each with its range. After the
/// first failure the rest is skipped, so that a list of keys reads as a list; ask error() at its
/// end. The keys asked for are remembered: unread() names the others.
class KeyReader {
 public:
  KeyReader(const ModelFile& file, std::string_view architecture)
      : file_(file), prefix_(std::string(architecture) + ".") {}

  struct IntRange {
    std::int64_t least = 0;
    std::int64_t most = INT64_MAX;
  };
  /// `above` itself is outside, `most` inside.
  struct DoubleRange {
    double above = 0;
    double most = 0;
  };

  /// A key that must be there. Errors: not_found; invalid_argument for a type or value that does
  /// not fit.
  void required(std::string_view name, IntRange range, std::int64_t& field);
  void required(std::string_view name, DoubleRange range, double& field);
  /// As required; an absent key leaves the field as it is.
  void optional(std::string_view name, IntRange range, std::int64_t& field);
  void optional(std::string_view name, DoubleRange range, double& field);
  void optional(std::string_view name, std::string_view& field);
  /// Marks keys that say nothing an executor needs, so that unread() leaves them out.
  void ignore(std::string_view name) { asked_.push_back(prefix_ + std::string(name)); }

  /// The first failure; nullopt when there was none.
  const std::optional<Error>& error() const { return error_; }

  /// Keys of this architecture that nobody asked for, in the file's order.
  std::vector<std::string> unread() const;

 private:
  std::string ask(std::string_view name);
  bool read(std::string_view name, IntRange range, std::int64_t& field);
  bool read(std::string_view name, DoubleRange range, double& field);
  void require(bool found, std::string_view name);

  const ModelFile& file_;
  std::string prefix_;
  std::vector<std::string> asked_;
  std::optional<Error> error_;
};

}  // namespace troupe::model
