#pragma once
#include "troupe/model/jinja/callable.h"

#include <span>
#include <string_view>

namespace troupe::model::jinja {

// Look-ups in the tables below; nullptr when there is no such name.
const Builtin* find_filter(std::string_view name);
const Builtin* find_test(std::string_view name);
const Builtin* find_function(std::string_view name);
/// A method of the variable's type.
const Builtin* find_method(const Var& self, std::string_view name);
/// Whether Python has that method on the variable's type, but it would change the variable.
bool is_mutating_method(const Var& self, std::string_view name);

// The tables: one per file, a line per name.
std::span<const Builtin> string_filters();
std::span<const Builtin> text_layout_filters();
std::span<const Builtin> number_filters();
std::span<const Builtin> sequence_filters();
std::span<const Builtin> selection_filters();
std::span<const Builtin> mapping_filters();
std::span<const Builtin> value_filters();
std::span<const Builtin> type_tests();
std::span<const Builtin> comparison_tests();
std::span<const Builtin> string_case_methods();
std::span<const Builtin> string_search_methods();
std::span<const Builtin> string_split_methods();
std::span<const Builtin> string_layout_methods();
std::span<const Builtin> string_check_methods();
std::span<const Builtin> sequence_methods();
std::span<const Builtin> mapping_methods();
std::span<const Builtin> loop_methods();
std::span<const Builtin> functions();

}  // namespace troupe::model::jinja
