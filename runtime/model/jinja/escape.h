#pragma once
#include "troupe/model/jinja/text.h"

namespace troupe::model::jinja {

/// The text with & < > " ' as HTML entities, which have the mark of the character they stand for.
Text escape_html(const Text& text);

}  // namespace troupe::model::jinja
