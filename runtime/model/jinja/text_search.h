#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/render.h"
#include "troupe/model/jinja/text.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace troupe::model::jinja {

/// Which ends of a text an operation works on.
enum class Ends : std::uint8_t { both, left, right };

/// Without the characters of `set` at its ends; with an empty set, without white space.
Text strip(const Text& text, std::string_view set, Ends ends);
/// str.replace: at most `count` replacements, all when negative. Errors: the limits.
Result<Text> replace(Render& render, const Text& text, const Text& old, const Text& fresh,
                     std::int64_t count);
/// str.split at a separator, at most `count` times, all when negative. Pre: the separator is not
/// empty.
std::vector<Text> split(const Text& text, std::string_view separator, std::int64_t count);
std::vector<Text> split_from_right(const Text& text, std::string_view separator,
                                   std::int64_t count);
/// str.split() at runs of white space.
std::vector<Text> split_at_space(const Text& text, std::int64_t count);
std::vector<Text> split_at_space_from_right(const Text& text, std::int64_t count);
std::vector<Text> split_lines(const Text& text, bool keep_ends);

}  // namespace troupe::model::jinja
