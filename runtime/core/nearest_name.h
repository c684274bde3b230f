#pragma once
#include <span>
#include <string>
#include <string_view>

namespace troupe {

/// The name of `names` that a person most likely meant by `word`: the one with the smallest edit
/// distance, if that is small for the word's length; empty when none is near.
std::string_view nearest_name(std::string_view word, std::span<const std::string> names);

/// "; did you mean 'x'? There are: a, b, x": for the end of an error message. Without names: empty.
std::string suggest(std::string_view word, std::span<const std::string> names);

}  // namespace troupe
