#include "troupe/model/jinja/var.h"

#include "troupe/model/jinja/heap.h"
#include "troupe/model/jinja/unicode.h"

#include <utility>

namespace troupe::model::jinja {

StringBody::StringBody(Text content, bool is_markup, MemoryMeter* charged)
    : text(std::move(content)), markup(is_markup), meter_(charged) {
  if (meter_) meter_->add(memory_of(text));
}

StringBody::~StringBody() {
  if (meter_) meter_->remove(memory_of(text));
}

Var Var::undefined(std::string message) {
  Var value(Kind::undefined, false);
  value.body_ = std::make_shared<const StringBody>(Text(std::move(message), false), false, nullptr);
  return value;
}

Var Var::boolean(bool flag, bool trusted) {
  Var value(Kind::boolean, trusted);
  value.payload_.integer = flag ? 1 : 0;
  return value;
}

Var Var::integer(std::int64_t number, bool trusted) {
  Var value(Kind::integer, trusted);
  value.payload_.integer = number;
  return value;
}

Var Var::real(double number, bool trusted) {
  Var value(Kind::real, trusted);
  value.payload_.real = number;
  return value;
}

Var Var::string(std::shared_ptr<const StringBody> body) {
  Var value(Kind::string, false);
  value.body_ = std::move(body);
  return value;
}

Var Var::sequence(Sequence* sequence) {
  Var value(Kind::sequence, false);
  value.payload_.sequence = sequence;
  return value;
}

Var Var::mapping(Mapping* mapping) {
  Var value(Kind::mapping, false);
  value.payload_.mapping = mapping;
  return value;
}

Var Var::callable(Callable* callable) {
  Var value(Kind::callable, false);
  value.payload_.callable = callable;
  return value;
}

Var Var::loop(LoopState* loop) {
  Var value(Kind::loop, false);
  value.payload_.loop = loop;
  return value;
}

const Var* Mapping::find(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name.is_string() && name.as_text().view() == key) return &value;
  return nullptr;
}

const Var* Mapping::find(const Var& key) const {
  if (key.is_string()) return find(key.as_text().view());
  for (const auto& [name, value] : entries)
    if (same_key(name, key)) return &value;
  return nullptr;
}

void Mapping::set(Var key, Var value) {
  if (const Var* old = find(key)) {
    const_cast<Var&>(*old) = std::move(value);
  } else {
    entries.emplace_back(std::move(key), std::move(value));
  }
}

std::string_view type_name(const Var& value) {
  switch (value.kind()) {
    case Var::Kind::absent:
      return "missing";
    case Var::Kind::undefined:
      return "Undefined";
    case Var::Kind::none:
      return "NoneType";
    case Var::Kind::boolean:
      return "bool";
    case Var::Kind::integer:
      return "int";
    case Var::Kind::real:
      return "float";
    case Var::Kind::string:
      return value.is_markup() ? "Markup" : "str";
    case Var::Kind::mapping:
      return value.as_mapping().is_namespace ? "Namespace" : "dict";
    case Var::Kind::callable:
      return "function";
    case Var::Kind::loop:
      return "LoopContext";
    case Var::Kind::sequence:
      break;
  }
  constexpr std::string_view kNames[] = {"list", "tuple", "range", "dict_items", "generator"};
  return kNames[static_cast<std::size_t>(value.as_sequence().kind)];
}

std::string type_words(const Var& value) {
  if (value.is_none()) return "None";
  return std::string(type_name(value)) + " object";
}

bool is_true(const Var& value) {
  switch (value.kind()) {
    case Var::Kind::absent:
    case Var::Kind::undefined:
    case Var::Kind::none:
      return false;
    case Var::Kind::boolean:
    case Var::Kind::integer:
      return value.as_integer() != 0;
    case Var::Kind::real:
      return value.as_real() != 0;
    case Var::Kind::string:
      return !value.as_text().empty();
    case Var::Kind::mapping:
      return value.as_mapping().is_namespace || !value.as_mapping().entries.empty();
    case Var::Kind::sequence:
      return value.as_sequence().kind == SequenceKind::generator ||
             !value.as_sequence().items.empty();
    case Var::Kind::callable:
    case Var::Kind::loop:
      return true;
  }
  return false;
}

std::int64_t length_of(const Var& value) {
  if (value.is_undefined()) return 0;
  if (value.is_string()) return static_cast<std::int64_t>(character_count(value.as_text().view()));
  if (value.is_mapping() && !value.as_mapping().is_namespace)
    return static_cast<std::int64_t>(value.as_mapping().entries.size());
  if (value.is_sequence() && value.as_sequence().kind != SequenceKind::generator)
    return static_cast<std::int64_t>(value.as_sequence().items.size());
  return -1;
}

bool same_key(const Var& left, const Var& right) {
  if (left.is_integer() && right.is_integer()) return left.as_integer() == right.as_integer();
  if (left.is_number() && right.is_number()) return left.as_real() == right.as_real();
  if (left.kind() != right.kind()) return false;
  return left.is_string() ? left.as_text() == right.as_text() : true;
}

}  // namespace troupe::model::jinja
