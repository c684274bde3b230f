#pragma once
#include <cstddef>
#include <vector>

namespace troupe::bpe {

/// Which bytes of a prompt may hold control tokens: disjoint stretches in ascending order.
class Trust {
 public:
  /// Marks the `length` bytes after all earlier ones. Neighbours of equal trust become one stretch.
  void append(std::size_t length, bool trusted);

  /// End of the trusted stretch that holds the byte at `offset`; `offset` itself when that byte is
  /// not trusted.
  std::size_t end_of_stretch(std::size_t offset) const;

 private:
  struct Stretch {
    std::size_t begin, end;
  };
  std::vector<Stretch> stretches_;
  std::size_t size_ = 0;
};

}  // namespace troupe::bpe
