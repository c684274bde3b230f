#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/render.h"
#include "troupe/model/jinja/var.h"

#include <vector>

namespace troupe::model::jinja {

/// `object.name`: a method or attribute, else the item of that key, else an undefined variable.
/// Pre: name is a string. Errors: invalid_argument when object is undefined.
Result<Var> attribute(Render& render, const Var& object, const Var& name);
/// As attribute, without looking for an item of that name.
Result<Var> attribute_alone(Render& render, const Var& object, const Var& name);
/// `object[key]`: the item, else the method or attribute of that name, else an undefined variable.
Result<Var> item(Render& render, const Var& object, const Var& key);
/// `object[start:stop:step]` with Python's meaning; absent or none for what is left out.
Result<Var> slice(Render& render, const Var& object, const Var& start, const Var& stop,
                  const Var& step);
/// What iterating over a value yields: items, keys, characters. Uses a generator up.
/// Errors: invalid_argument, "'int' object is not iterable".
Result<std::vector<Var>> items_of(Render& render, const Var& value);
/// The value of a mapping at a key; nullptr when absent. Pays for the comparisons.
/// Errors: invalid_argument, "unhashable type: 'list'".
Result<const Var*> find_key(Render& render, const Mapping& mapping, const Var& key);
/// The characters of a text as strings of their own.
Result<std::vector<Var>> characters_of(Render& render, const Text& text);
/// `path` as filters name attributes: "function.name", "0", or an integer.
Result<Var> attribute_path(Render& render, const Var& object, const Var& path);

}  // namespace troupe::model::jinja
