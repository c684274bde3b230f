#pragma once
#include "troupe/api/operator.h"
#include "troupe/api/params.h"

#include <span>
#include <string_view>

namespace troupe::pipeline {

/// The keys an [operators.NAME] table may have besides `params`. The keys of `restart` are called
/// "restart.policy" and so on.
std::span<const ParamSpec> operator_fields();

/// Whether `key` is one of operator_fields, "params" or "restart".
bool is_operator_key(std::string_view key);

/// Whether `name` can name an operator or a model: a letter, then letters, digits and underscores,
/// at most 64, and no word that keys begin with.
bool is_pipeline_name(std::string_view name);

/// What is_pipeline_name asks for, for messages.
inline constexpr std::string_view kNameRule =
    "a letter, then letters, digits and underscores, at most 64, and neither 'model', 'operators', "
    "'pipeline' nor 'params'";

}  // namespace troupe::pipeline
