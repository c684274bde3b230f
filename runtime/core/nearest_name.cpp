#include "troupe/core/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace troupe {
namespace {

/// Words beyond this length are cut: they come from outside, and the cost grows with the square.
constexpr std::size_t kLongestWord = 64;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string> names) {
  word = word.substr(0, kLongestWord);
  std::string_view best;
  std::size_t best_distance = word.size() / 3 + 2;  // farther than this is another word
  for (const auto& name : names) {
    const auto distance = edit_distance(word, std::string_view(name).substr(0, kLongestWord));
    if (distance < best_distance && distance < std::max(word.size(), name.size())) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggest(std::string_view word, std::span<const std::string> names) {
  if (names.empty()) return {};
  std::string text;
  if (const auto near = nearest_name(word, names); !near.empty())
    text += "; did you mean '" + std::string(near) + "'?";
  text += text.empty() ? "; there are: " : " There are: ";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i ? ", " : "") + names[i];
  return text;
}

}  // namespace troupe
