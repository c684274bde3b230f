#include "troupe/model/jinja/access.h"

#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/loop_attributes.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <charconv>
#include <string>
#include <string_view>

namespace troupe::model::jinja {
namespace {

Var no_attribute(const Var& object, std::string_view name) {
  return Var::undefined("'" + type_words(object) + "' has no attribute '" + std::string(name) +
                        "'");
}

/// What Python's getattr finds; absent when there is nothing.
Result<Var> own_attribute(Render& render, const Var& object, std::string_view name) {
  if (object.is(Var::Kind::loop)) {
    auto value = loop_attribute(object.as_loop(), name);
    if (!value.is_absent()) return value;
  }
  if (object.is_mapping() && object.as_mapping().is_namespace) {
    JINJA_CHECK(render.spend(object.as_mapping().entries.size() / 16));
    const Var* found = object.as_mapping().find(name);
    return found ? *found : Var();
  }
  if (object.is(Var::Kind::callable) && name == "name")
    return render.heap().text(object.as_callable().name, true);
  if (const Builtin* method = find_method(object, name)) {
    Callable bound;
    bound.name = std::string(name);
    bound.builtin = method;
    bound.self = object;
    return render.heap().callable(std::move(bound));
  }
  if (is_mutating_method(object, name))
    return Var::undefined("access to attribute '" + std::string(name) + "' of '" +
                          std::string(type_name(object)) + "' object is unsafe.");
  return Var();
}

/// The item of a sequence or string at an index that may count from the end; absent beyond them.
Result<Var> indexed(Render& render, const Var& object, std::int64_t index) {
  const auto length = length_of(object);
  if (index < 0) index += length;
  if (index < 0 || index >= length) return Var();
  const auto at = static_cast<std::size_t>(index);
  if (object.is_sequence()) return object.as_sequence().items[at];
  const Text& text = object.as_text();
  JINJA_CHECK(render.spend_bytes(text.size()));
  const auto begin = byte_offset(text.view(), at);
  return render.heap().text(text.slice(begin, begin + character_at(text.view(), begin).size));
}

Result<Var> own_item(Render& render, const Var& object, const Var& key) {
  if (object.is_mapping() && !object.as_mapping().is_namespace) {
    JINJA_TRY(found, find_key(render, object.as_mapping(), key));
    return found ? *found : Var();
  }
  const bool indexable = object.is_string() || (object.is_sequence() && length_of(object) >= 0 &&
                                                object.as_sequence().kind != SequenceKind::view);
  if (indexable && key.is_integer()) return indexed(render, object, key.as_integer());
  return Var();
}

}  // namespace

Result<const Var*> find_key(Render& render, const Mapping& mapping, const Var& key) {
  if (key.is_sequence() || key.is_mapping())
    return fault("unhashable type: '" + std::string(type_name(key)) + "'");
  const auto bytes = key.is_string() ? key.as_text().size() : 0;
  JINJA_CHECK(render.spend(mapping.entries.size() / 16 + mapping.entries.size() * (bytes / 64)));
  return mapping.find(key);
}

Result<Var> attribute(Render& render, const Var& object, const Var& name) {
  if (object.is_undefined()) return fault(object.why_undefined());
  const auto word = name.as_text().view();
  JINJA_TRY(own, own_attribute(render, object, word));
  if (!own.is_absent()) return own;
  JINJA_TRY(found, own_item(render, object, name));
  return found.is_absent() ? no_attribute(object, word) : found;
}

Result<Var> attribute_alone(Render& render, const Var& object, const Var& name) {
  if (object.is_undefined()) return fault(object.why_undefined());
  JINJA_TRY(own, own_attribute(render, object, name.as_text().view()));
  return own.is_absent() ? no_attribute(object, name.as_text().view()) : own;
}

Result<Var> item(Render& render, const Var& object, const Var& key) {
  if (object.is_undefined()) return fault(object.why_undefined());
  if (key.is_undefined()) return fault(key.why_undefined());
  JINJA_TRY(found, own_item(render, object, key));
  if (!found.is_absent()) return found;
  if (key.is_string()) {
    JINJA_TRY(own, own_attribute(render, object, key.as_text().view()));
    return own.is_absent() ? no_attribute(object, key.as_text().view()) : own;
  }
  Text words;
  JINJA_CHECK(append_repr(render, words, key));
  return Var::undefined(type_words(object) + " has no element " + words.bytes());
}

Result<Var> attribute_path(Render& render, const Var& object, const Var& path) {
  if (!path.is_string()) return item(render, object, path);
  Var value = object;
  std::string_view rest = path.as_text().view();
  while (true) {
    const auto word = rest.substr(0, rest.find('.'));
    std::int64_t index = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), index);
    const bool is_index = !word.empty() && is_digit(static_cast<unsigned char>(word[0])) &&
                          read.ptr == word.data() + word.size();
    JINJA_TRY(key, is_index ? Result<Var>(Var::integer(index))
                            : render.heap().text(std::string(word), true));
    JINJA_TRY(next, item(render, value, key));
    value = next;
    if (word.size() == rest.size()) return value;
    rest.remove_prefix(word.size() + 1);
  }
}

}  // namespace troupe::model::jinja
