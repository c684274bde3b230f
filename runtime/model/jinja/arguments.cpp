#include "troupe/model/jinja/arguments.h"

#include <string>

namespace troupe::model::jinja {
namespace {

bool left_out(const Call& call, std::size_t i) {
  return !call.given(i) || call.args[i].is_none();
}

}  // namespace

Result<void> require_defined(const Var& value) {
  if (value.is_undefined()) return fault(value.why_undefined());
  return {};
}

Result<std::int64_t> integer_argument(const Call& call, std::size_t i, std::int64_t otherwise) {
  if (left_out(call, i)) return otherwise;
  if (auto defined = require_defined(call.args[i]); !defined) return fail(defined.error());
  if (call.args[i].is_integer()) return call.args[i].as_integer();
  return fault("'" + std::string(type_name(call.args[i])) +
               "' object cannot be interpreted as an integer");
}

Result<Text> text_argument(const Call& call, std::size_t i, const Text& otherwise) {
  if (left_out(call, i)) return otherwise;
  if (auto defined = require_defined(call.args[i]); !defined) return fail(defined.error());
  if (call.args[i].is_string()) {
    if (auto paid = call.render.spend_bytes(call.args[i].as_text().size()); !paid)
      return fail(paid.error());
    return call.args[i].as_text();
  }
  return fault("the argument must be str, not " + std::string(type_name(call.args[i])));
}

bool flag_argument(const Call& call, std::size_t i, bool otherwise) {
  return call.given(i) ? is_true(call.args[i]) : otherwise;
}

const Text& self_text(const Call& call) {
  return call.self.as_text();
}

}  // namespace troupe::model::jinja
