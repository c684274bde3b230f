#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/render.h"
#include "troupe/model/jinja/var.h"

namespace troupe::model::jinja {

/// The entries of a mapping as a sequence of (key, value) tuples.
Result<Var> pairs_of(Render& render, const Mapping& mapping, SequenceKind kind);

}  // namespace troupe::model::jinja
