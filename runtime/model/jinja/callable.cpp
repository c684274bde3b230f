#include "troupe/model/jinja/callable.h"

#include <algorithm>

namespace troupe::model::jinja {
namespace {

struct Parameters {
  struct One {
    std::string_view name;
    bool optional = false;
  };
  std::vector<One> list;
  bool more_arguments = false;
  bool any_keywords = false;
};

Parameters read_parameters(std::string_view words) {
  Parameters parameters;
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    auto word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word == "*") {
      parameters.more_arguments = true;
    } else if (word == "**") {
      parameters.any_keywords = true;
    } else {
      const bool optional = word.back() == '?';
      if (optional) word.remove_suffix(1);
      parameters.list.push_back({word, optional});
    }
  }
  return parameters;
}

tl::unexpected<Error> mismatch(const Builtin& builtin, const std::string& what) {
  return fail(ErrorCode::invalid_argument, std::string(builtin.name) + "() " + what);
}

Result<void> place_keyword(const Builtin& builtin, const Parameters& parameters, Call& call,
                           const std::string& name, const Var& value) {
  const auto& list = parameters.list;
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& p) { return p.name == name; });
  if (found == list.end())
    return mismatch(builtin, "got an unexpected keyword argument '" + name + "'");
  auto& slot = call.args[static_cast<std::size_t>(found - list.begin())];
  if (!slot.is_absent())
    return mismatch(builtin, "got multiple values for argument '" + name + "'");
  slot = value;
  return {};
}

}  // namespace

Result<void> bind(const Builtin& builtin, Call& call) {
  const auto parameters = read_parameters(builtin.parameters);
  const auto count = parameters.list.size();
  if (call.args.size() > count && !parameters.more_arguments)
    return mismatch(builtin, "takes at most " + std::to_string(count) + " arguments (" +
                                 std::to_string(call.args.size()) + " given)");
  if (call.args.size() < count) call.args.resize(count);
  if (!parameters.any_keywords) {
    for (const auto& [name, value] : call.keywords)
      if (auto placed = place_keyword(builtin, parameters, call, name, value); !placed)
        return placed;
    call.keywords.clear();
  }
  for (std::size_t i = 0; i < count; ++i)
    if (call.args[i].is_absent() && !parameters.list[i].optional)
      return mismatch(
          builtin, "missing a required argument: '" + std::string(parameters.list[i].name) + "'");
  return {};
}

}  // namespace troupe::model::jinja
