#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/render.h"

namespace troupe::model::jinja {
namespace {

bool is_defined(const Var& value) {
  return !value.is_undefined();
}
bool is_undefined(const Var& value) {
  return value.is_undefined();
}
bool is_none(const Var& value) {
  return value.is_none();
}
bool is_boolean(const Var& value) {
  return value.is_boolean();
}
bool is_true_constant(const Var& value) {
  return value.is_boolean() && value.as_integer() != 0;
}
bool is_false_constant(const Var& value) {
  return value.is_boolean() && value.as_integer() == 0;
}
bool is_integer(const Var& value) {
  return value.is(Var::Kind::integer);
}
bool is_float(const Var& value) {
  return value.is(Var::Kind::real);
}
bool is_number(const Var& value) {
  return value.is_number();
}
bool is_string(const Var& value) {
  return value.is_string();
}
bool is_mapping(const Var& value) {
  return value.is_mapping() && !value.as_mapping().is_namespace;
}

bool is_sequence(const Var& value) {
  if (value.is_sequence()) return value.as_sequence().kind <= SequenceKind::range;
  return value.is_string() || value.is_undefined() || is_mapping(value);
}

bool is_iterable(const Var& value) {
  return value.is_sequence() || value.is_string() || value.is_undefined() || is_mapping(value) ||
         value.is(Var::Kind::loop);
}

bool is_callable(const Var& value) {
  return value.is(Var::Kind::callable) || value.is_undefined() || value.is(Var::Kind::loop);
}

bool is_escaped(const Var& value) {
  return value.is_markup();
}

template <bool (*Holds)(const Var&)>
Result<Var> test(Call& call) {
  return Var::boolean(Holds(call.self), true);
}

constexpr Builtin kTests[] = {
    {"defined", "", &test<is_defined>},    {"undefined", "", &test<is_undefined>},
    {"none", "", &test<is_none>},          {"boolean", "", &test<is_boolean>},
    {"true", "", &test<is_true_constant>}, {"false", "", &test<is_false_constant>},
    {"integer", "", &test<is_integer>},    {"float", "", &test<is_float>},
    {"number", "", &test<is_number>},      {"string", "", &test<is_string>},
    {"mapping", "", &test<is_mapping>},    {"sequence", "", &test<is_sequence>},
    {"iterable", "", &test<is_iterable>},  {"callable", "", &test<is_callable>},
    {"escaped", "", &test<is_escaped>},
};

}  // namespace

std::span<const Builtin> type_tests() {
  return kTests;
}

}  // namespace troupe::model::jinja
