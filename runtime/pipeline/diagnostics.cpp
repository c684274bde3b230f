#include "troupe/pipeline/diagnostics.h"

#include "troupe/api/check.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace troupe::pipeline {

std::string Diagnostic::text() const {
  std::string text = where.text() + ": " + found;
  if (!expected.empty()) text += "; expected " + expected;
  if (!suggestion.empty()) text += "; did you mean '" + suggestion + "'?";
  return text;
}

void Diagnostics::add(SourceLocation where, std::string found, std::string expected,
                      std::string suggestion, ErrorCode code) {
  list_.push_back(
      {std::move(where), std::move(found), std::move(expected), std::move(suggestion), code});
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  // Files keep the order in which they were first complained about: the pipeline comes first.
  std::vector<std::string> files;
  for (const auto& one : list_)
    if (std::find(files.begin(), files.end(), one.where.file) == files.end())
      files.push_back(one.where.file);
  const auto rank = [&](const Diagnostic& one) {
    const auto file = std::find(files.begin(), files.end(), one.where.file) - files.begin();
    return std::tuple(file, one.where.line, one.where.column);
  };
  auto list = list_;
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return list;
}

Error Diagnostics::to_error() const {
  TROUPE_CHECK(!list_.empty());
  const auto list = sorted();
  std::string text;
  for (const auto& one : list)
    text += (text.empty() ? "" : "\n") + one.text();
  return Error(list.front().code, std::move(text));
}

std::string in_quotes(std::string_view name) {
  return "'" + std::string(name) + "'";
}

std::string one_of(const std::vector<std::string>& names) {
  if (names.size() == 1) return in_quotes(names.front());
  return names.empty() ? "none" : "one of " + join_names(names);
}

std::string join_names(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string text;
  for (const auto& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace troupe::pipeline
