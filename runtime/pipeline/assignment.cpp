#include "troupe/pipeline/assignment.h"

#include "troupe/core/nearest_name.h"
#include "troupe/pipeline/operator_table.h"
#include "troupe/pipeline/table_keys.h"
#include "troupe/pipeline/toml_source.h"

#include <optional>
#include <utility>

namespace troupe::pipeline {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::vector<std::string> split_key(std::string_view key) {
  std::vector<std::string> parts;
  while (true) {
    const auto dot = key.find('.');
    parts.emplace_back(trimmed(key.substr(0, dot)));
    if (dot == key.npos) return parts;
    key.remove_prefix(dot + 1);
  }
}

/// What a value means; nothing when it opens a quote or bracket and is no TOML.
std::optional<Value> parse_value(std::string_view text) {
  if (const auto value = parse_toml_value(text)) {
    // A "#" outside of quotes is no comment here but part of a word, as in "sk-#1".
    if (!text.empty() &&
        (text.find('#') == text.npos || text.front() == '"' || text.front() == '\''))
      return *value;
  }
  if (!text.empty() && std::string_view("\"'[{").find(text.front()) != text.npos)
    return std::nullopt;
  return Value(text);
}

class Assigner {
 public:
  Assigner(GivenPipeline& pipeline, Diagnostics& diagnostics, std::string key, GivenValue value)
      : pipeline_(pipeline),
        diagnostics_(diagnostics),
        key_(std::move(key)),
        value_(std::move(value)) {}

  void assign() {
    auto parts = split_key(key_);
    if (parts.front() == "model") return assign_model(parts);
    if (parts.front() == "operators") parts.erase(parts.begin());
    auto* op = parts.empty() ? nullptr : pipeline_.find_operator(parts.front());
    if (!op) return unknown_operator(parts.empty() ? "" : parts.front());
    parts.erase(parts.begin());
    assign_operator(*op, parts);
  }

 private:
  void refuse(std::string found, std::string expected, std::string suggestion = {}) {
    diagnostics_.add(value_.where, std::move(found), std::move(expected), std::move(suggestion));
  }

  void assign_model(const std::vector<std::string>& parts) {
    if (parts.size() != 3) return refuse("'" + key_ + "' is no key of a model", "model.NAME.KEY");
    if (auto* model = pipeline_.find_model(parts[1])) return model->give(parts[2], value_);
    const auto names = pipeline_.model_names();
    refuse("the pipeline has no model '" + parts[1] + "'", one_of(names),
           std::string(nearest_name(parts[1], names)));
  }

  void unknown_operator(const std::string& name) {
    auto names = pipeline_.operator_names();
    const auto known = join_names(names);
    names.push_back("model");
    refuse("the pipeline has no operator '" + name + "'",
           "a key that begins with one of " + known + ", or model.NAME",
           std::string(nearest_name(name, names)));
  }

  void assign_operator(GivenOperator& op, const std::vector<std::string>& parts) {
    if (parts.empty() || parts.size() > 2)
      return refuse("'" + key_ + "' is no key of operator '" + op.name + "'",
                    op.name + ".PARAMETER, or one of its keys such as " + op.name + ".mailbox");
    const auto& first = parts.front();
    if (parts.size() == 2) {
      if (first == "params") return op.params.give(parts[1], value_);
      if (first == "restart") return op.fields.give("restart." + parts[1], value_);
      return refuse("'" + first + "' of operator '" + op.name + "' has no keys of its own",
                    op.name + ".params." + parts[1] + " or " + op.name + ".restart." + parts[1]);
    }
    if (first == "params" || first == "restart")
      return give_subtable(op, first, value_, diagnostics_);
    if (is_operator_key(first)) return op.fields.give(first, value_);
    op.params.give(first, value_);
  }

  GivenPipeline& pipeline_;
  Diagnostics& diagnostics_;
  std::string key_;
  GivenValue value_;
};

}  // namespace

std::vector<std::string> split_assignments(std::string_view text) {
  std::vector<std::string> parts(1);
  char quote = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"' && i + 1 < text.size()) parts.back() += text[i++];
      if (text[i] == quote && c != '\\') quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ';' && depth <= 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += text[i];
  }
  std::erase_if(parts, [](const auto& part) { return trimmed(part).empty(); });
  return parts;
}

void apply_assignment(std::string_view text, const std::string& source, std::string_view layer,
                      GivenPipeline& pipeline, Diagnostics& diagnostics) {
  const SourceLocation where{source + " " + std::string(trimmed(text)), 0, 0};
  const auto equals = text.find('=');
  const auto key = trimmed(text.substr(0, equals));
  if (equals == text.npos || key.empty()) {
    diagnostics.add(where, "no key and value",
                    "key=value, such as scheduler.max_batch_tokens=4096");
    return;
  }
  const auto typed = trimmed(text.substr(equals + 1));
  const auto value = parse_value(typed);
  if (!value) {
    diagnostics.add(where, "the value is not valid TOML",
                    "a value as TOML has it; a word needs no quotes");
    return;
  }
  Assigner(pipeline, diagnostics, std::string(key),
           {*value, where, where, layer, std::string(typed)})
      .assign();
}

void apply_model_flag(const std::string& path, GivenPipeline& pipeline, Diagnostics& diagnostics) {
  const SourceLocation where{"--model " + path, 0, 0};
  if (auto* model = pipeline.find_model("default"))
    return model->give("path", {Value(path), where, where, kFlagLayer, path});
  const auto names = pipeline.model_names();
  diagnostics.add(where, "the pipeline has no [model.default] table, whose path --model gives",
                  names.empty() ? "a pipeline with a model"
                                : "--set model.NAME.path=PATH with one of " + join_names(names));
}

}  // namespace troupe::pipeline
