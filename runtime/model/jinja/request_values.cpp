#include "troupe/model/jinja/request_values.h"

#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace troupe::model::jinja {
namespace {

constexpr int kMaxDepth = 100;

bool is_known_role(std::string_view role) {
  static constexpr std::string_view kRoles[] = {"system", "developer", "user",    "assistant",
                                                "tool",   "function",  "ipython", "model"};
  return std::find(std::begin(kRoles), std::end(kRoles), role) != std::end(kRoles);
}

class Importer {
 public:
  explicit Importer(Render& render) : render_(render) {}

  Result<Var> import(const troupe::Value& value, int depth) {
    if (depth > kMaxDepth)
      return fault("the request's data is nested deeper than " + std::to_string(kMaxDepth) +
                   " levels");
    if (value.is_null()) return Var::none();
    if (value.is_bool()) return Var::boolean(value.as_bool());
    if (value.is_int()) return Var::integer(value.as_int());
    if (value.is_double()) return Var::real(value.as_double());
    if (value.is_string()) return render_.heap().text(value.as_string(), false);
    return value.is_array() ? import_array(value, depth) : import_object(value, depth, false);
  }

  Result<Var> import_object(const troupe::Value& value, int depth, bool is_message) {
    std::vector<Mapping::Entry> entries;
    entries.reserve(value.as_object().size());
    for (const auto& [name, member] : value.as_object()) {
      JINJA_TRY(key, render_.heap().text(name, false));
      const bool role =
          is_message && name == "role" && member.is_string() && is_known_role(member.as_string());
      JINJA_TRY(item,
                role ? render_.heap().text(member.as_string(), true) : import(member, depth + 1));
      entries.emplace_back(std::move(key), std::move(item));
    }
    return render_.heap().mapping(std::move(entries));
  }

 private:
  Result<Var> import_array(const troupe::Value& value, int depth) {
    std::vector<Var> items;
    items.reserve(value.as_array().size());
    for (const auto& member : value.as_array()) {
      JINJA_TRY(item, import(member, depth + 1));
      items.push_back(std::move(item));
    }
    return render_.heap().sequence(std::move(items));
  }

  Render& render_;
};

}  // namespace

Result<Var> from_request(Render& render, const troupe::Value& value) {
  return Importer(render).import(value, 0);
}

Result<Var> messages_from_request(Render& render, const troupe::Value& messages) {
  if (!messages.is_array())
    return fault("messages must be an array, found " + std::string(messages.type_name()));
  std::vector<Var> items;
  Importer importer(render);
  for (const auto& message : messages.as_array()) {
    if (!message.is_object())
      return fault("messages must hold objects, found " + std::string(message.type_name()));
    JINJA_TRY(item, importer.import_object(message, 1, true));
    items.push_back(std::move(item));
  }
  return render.heap().sequence(std::move(items));
}

}  // namespace troupe::model::jinja
