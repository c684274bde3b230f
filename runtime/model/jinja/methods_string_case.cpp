#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/text_case.h"
#include "troupe/model/jinja/try.h"

namespace troupe::model::jinja {
namespace {

/// A method that makes one text of another.
template <Text (*Convert)(const Text&)>
Result<Var> convert(Call& call) {
  JINJA_CHECK(call.render.spend(self_text(call).size() / 4));
  return call.render.heap().text(Convert(self_text(call)), call.self.is_markup());
}

constexpr Builtin kMethods[] = {
    {"upper", "", &convert<upper>},           {"lower", "", &convert<lower>},
    {"casefold", "", &convert<lower>},        {"swapcase", "", &convert<swap_case>},
    {"capitalize", "", &convert<capitalize>}, {"title", "", &convert<title>},
};

}  // namespace

std::span<const Builtin> string_case_methods() {
  return kMethods;
}

}  // namespace troupe::model::jinja
