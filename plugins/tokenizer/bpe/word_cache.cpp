#include "word_cache.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace troupe::bpe {

std::size_t WordCache::hash(std::string_view word) {
  return XXH3_64bits(word.data(), word.size());
}

}  // namespace troupe::bpe
