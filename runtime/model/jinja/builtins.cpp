#include "troupe/model/jinja/builtins.h"

#include <algorithm>
#include <initializer_list>

namespace troupe::model::jinja {
namespace {

const Builtin* find_in(std::initializer_list<std::span<const Builtin>> tables,
                       std::string_view name) {
  for (const auto table : tables)
    for (const Builtin& builtin : table)
      if (builtin.name == name) return &builtin;
  return nullptr;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

const Builtin* find_filter(std::string_view name) {
  return find_in({string_filters(), text_layout_filters(), number_filters(), sequence_filters(),
                  selection_filters(), mapping_filters(), value_filters()},
                 name);
}

const Builtin* find_test(std::string_view name) {
  return find_in({type_tests(), comparison_tests()}, name);
}

const Builtin* find_function(std::string_view name) {
  return find_in({functions()}, name);
}

const Builtin* find_method(const Var& self, std::string_view name) {
  if (self.is_string())
    return find_in({string_case_methods(), string_search_methods(), string_split_methods(),
                    string_layout_methods(), string_check_methods()},
                   name);
  if (self.is_sequence() && self.as_sequence().kind <= SequenceKind::range)
    return find_in({sequence_methods()}, name);
  if (self.is_mapping() && !self.as_mapping().is_namespace)
    return find_in({mapping_methods()}, name);
  if (self.is(Var::Kind::loop)) return find_in({loop_methods()}, name);
  return nullptr;
}

bool is_mutating_method(const Var& self, std::string_view name) {
  if (self.is_sequence() && self.as_sequence().kind == SequenceKind::list)
    return is_one_of(name,
                     {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"});
  if (self.is_mapping() && !self.as_mapping().is_namespace)
    return is_one_of(name, {"clear", "pop", "popitem", "setdefault", "update"});
  return false;
}

}  // namespace troupe::model::jinja
