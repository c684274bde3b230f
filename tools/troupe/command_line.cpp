#include "command_line.h"

#include "troupe/core/nearest_name.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

namespace troupe::program {
namespace {

template <class Number>
constexpr std::string_view kExpected = "a whole number";
template <>
constexpr std::string_view kExpected<std::uint64_t> = "a whole number of 0 or more";
template <>
constexpr std::string_view kExpected<float> = "a number";

template <class Number>
Number parse_number(const std::string& name, const std::string& text) {
  Number number{};
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end)
    throw CLI::ValidationError(
        name, "found '" + text + "'; expected " + std::string(kExpected<Number>) +
                  (error == std::errc::result_out_of_range ? " that is not that large" : ""));
  return number;
}

std::string number_text(double number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(number)).ptr;
  return {buffer, end};
}

/// "--model FILE" -> "--model".
std::string name_of(const std::string& spec) {
  return spec.substr(0, spec.find(' '));
}

/// The parser takes "--name=" for an option whose value follows.
std::vector<std::string> split_empty_values(std::span<const std::string> words) {
  std::vector<std::string> split;
  bool options = true;
  for (const auto& word : words) {
    options = options && word != "--";
    if (options && word.size() > 3 && word.starts_with("--") && word.find('=') + 1 == word.size()) {
      split.push_back(word.substr(0, word.size() - 1));
      split.emplace_back();
    } else {
      split.push_back(word);
    }
  }
  return split;
}

}  // namespace

CommandLine::CommandLine(CLI::App& app, std::string name, std::string summary)
    : app_(app), name_(std::move(name)), summary_(std::move(summary)) {}

CommandLine::~CommandLine() = default;

CommandLine& CommandLine::command(const std::string& name, const std::string& summary) {
  auto* app = app_.add_subcommand(name, summary);
  app_.require_subcommand(1);
  commands_.push_back(std::make_unique<CommandLine>(*app, name, summary));
  return *commands_.back();
}

void CommandLine::add(const std::string& spec, const Take& take, const std::string& help,
                      const std::string& default_text, bool repeatable) {
  const auto name = name_of(spec);
  auto* option = app_.add_option(
      name,
      [take](const std::vector<std::string>& values) {
        take(values);
        return true;
      },
      help);
  option->expected(1)->allow_extra_args(false);
  if (repeatable) option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  option->type_name(spec == name ? "" : spec.substr(name.size() + 1));
  if (!default_text.empty()) option->default_str(default_text);
  latest_ = option;
  parameters_.push_back({name, option->get_type_name(), {}});
}

void CommandLine::option(const std::string& spec, std::string& target, const std::string& help) {
  add(
      spec, [&target](const auto& values) { target = values.front(); }, help, target, false);
}

void CommandLine::option(const std::string& spec, std::optional<std::string>& target,
                         const std::string& help) {
  add(
      spec, [&target](const auto& values) { target = values.front(); }, help, {}, false);
}

void CommandLine::option(const std::string& spec, std::int64_t& target, const std::string& help) {
  const auto take = [&target, name = name_of(spec)](const auto& values) {
    target = parse_number<std::int64_t>(name, values.front());
  };
  add(spec, take, help, std::to_string(target), false);
}

void CommandLine::option(const std::string& spec, std::optional<std::int64_t>& target,
                         const std::string& help) {
  const auto take = [&target, name = name_of(spec)](const auto& values) {
    target = parse_number<std::int64_t>(name, values.front());
  };
  add(spec, take, help, {}, false);
}

void CommandLine::option(const std::string& spec, std::optional<std::uint64_t>& target,
                         const std::string& help) {
  const auto take = [&target, name = name_of(spec)](const auto& values) {
    target = parse_number<std::uint64_t>(name, values.front());
  };
  add(spec, take, help, {}, false);
}

void CommandLine::option(const std::string& spec, std::int32_t& target, const std::string& help) {
  const auto take = [&target, name = name_of(spec)](const auto& values) {
    target = parse_number<std::int32_t>(name, values.front());
  };
  add(spec, take, help, std::to_string(target), false);
}

void CommandLine::option(const std::string& spec, float& target, const std::string& help) {
  const auto take = [&target, name = name_of(spec)](const auto& values) {
    target = parse_number<float>(name, values.front());
  };
  add(spec, take, help, number_text(target), false);
}

void CommandLine::option(const std::string& spec, std::vector<std::string>& target,
                         const std::string& help) {
  add(
      spec, [&target](const auto& values) { target = values; }, help + "; repeatable", {}, true);
}

void CommandLine::flag(const std::string& name, bool& target, const std::string& help) {
  app_.add_flag(name, target, help);
  parameters_.push_back({name, {}, {}});
}

void CommandLine::argument(const std::string& name, std::string& target, const std::string& help,
                           Need need) {
  add(
      name, [&target](const auto& values) { target = values.front(); }, help, target, false);
  if (need == Need::required) latest_->required();
}

void CommandLine::choices(const std::vector<std::string>& values) {
  auto& parameter = parameters_.back();
  parameter.choices = values;
  latest_->check(
      [values](const std::string& found) -> std::string {
        if (std::ranges::find(values, found) != values.end()) return {};
        return "found '" + found + "'" + suggest(found, values);
      },
      "");
}

void CommandLine::example(const std::string& line, const std::string& what) {
  examples_.push_back({line, what});
  std::string footer = "Examples:";
  for (const auto& example : examples_)
    footer += "\n  # " + example.what + "\n  " + example.line;
  app_.footer(footer);
}

std::vector<std::string> CommandLine::option_names() const {
  std::vector<std::string> names = {"--help"};
  for (const auto& parameter : parameters_)
    if (parameter.name.starts_with("-")) names.push_back(parameter.name);
  return names;
}

std::string CommandLine::explain(const std::exception& error, const std::string& path) const {
  const auto left = app_.remaining();
  if (left.empty() && !commands_.empty())
    return "found no command; expected one of those of " + path;
  if (left.empty()) return error.what();
  const auto& word = left.front();
  const bool option = word.starts_with("-");
  std::vector<std::string> names = option ? option_names() : std::vector<std::string>{};
  if (!option)
    for (const auto& command : commands_)
      names.push_back(command->name());
  const auto nearest = nearest_name(word.substr(0, word.find('=')), names);
  return "found '" + word + "', which is no " +
         (option              ? "option"
          : commands_.empty() ? "argument"
                              : "command") +
         " of '" + path + "'" +
         (nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?");
}

const CommandLine& CommandLine::given() const {
  for (const auto& command : commands_)
    if (command->app_.parsed()) return command->given();
  return *this;
}

Program::Program(const std::string& name, const std::string& summary)
    : app_(std::make_unique<CLI::App>(summary, name)),
      root_(std::make_unique<CommandLine>(*app_, name, summary)) {
  app_->set_help_flag("-h,--help", "print this page");
  auto formatter = app_->get_formatter();
  formatter->column_width(28);
  formatter->label("SUBCOMMAND", "COMMAND");
  formatter->label("Subcommands", "Commands");
  formatter->label("Positionals", "Arguments");
}

Program::~Program() = default;

Result<Program::Parsed> Program::parse(std::span<const std::string> words) {
  auto rest = split_empty_values(words);
  std::reverse(rest.begin(), rest.end());
  try {
    app_->parse(std::move(rest));
  } catch (const CLI::CallForHelp&) {
    return Parsed{&root_->given(), app_->help()};
  } catch (const CLI::ParseError& error) {
    const auto& given = root_->given();
    std::string path = root_->name();
    for (const auto* command = root_.get(); command != &given;)
      for (const auto& next : command->commands())
        if (next->app_.parsed()) {
          path += " " + next->name();
          command = next.get();
          break;
        }
    return fail(ErrorCode::invalid_argument,
                given.explain(error, path) + "\nsee '" + path + " --help'");
  }
  return Parsed{&root_->given(), {}};
}

}  // namespace troupe::program
