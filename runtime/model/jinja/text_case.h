#pragma once
#include "troupe/model/jinja/text.h"

#include <string>

namespace troupe::model::jinja {

// Python's case conversions. A changed character keeps the mark of the one it was made from.
Text upper(const Text& text);
Text lower(const Text& text);
Text swap_case(const Text& text);
/// First character upper, the rest lower.
Text capitalize(const Text& text);
/// str.title(): the first letter of every run of letters upper, the others lower.
Text title(const Text& text);
/// Jinja's filter: as title(), but words end only at white space and - ( { [ <.
Text title_words(const Text& text);

}  // namespace troupe::model::jinja
