#pragma once
#include "troupe/api/result.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace troupe::program {

/// Exit codes of the program.
enum ExitCode : int {
  kDone = 0,
  kRunFailed = 1,      // the run failed
  kCallerMistake = 2,  // usage, pipeline, config or model file
};

/// What a command returns: an exit code, or an error to print, from which the exit code follows.
using Outcome = Result<int>;

/// Whether an argument must be given.
enum class Need : std::uint8_t { optional, required };

/// A line that a user may type, and what it does. Every example of the help pages parses: a test
/// sees to it.
struct Example {
  std::string line;
  std::string what;
};

/// One command while it is declared: its options, arguments, examples and subcommands. Targets are
/// written while the command line is parsed and must live until then. This header is all that
/// commands see of the parser behind it, which costs seconds to compile.
class CommandLine {
 public:
  CommandLine(CLI::App& app, std::string name, std::string summary);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  CommandLine& command(const std::string& name, const std::string& summary);

  // `spec` is the name and what its value is called: "--model FILE". FILE and DIR are completed by
  // the shell as such. The target's value is the default that the help page shows.
  void option(const std::string& spec, std::string& target, const std::string& help);
  void option(const std::string& spec, std::optional<std::string>& target, const std::string& help);
  void option(const std::string& spec, std::int64_t& target, const std::string& help);
  void option(const std::string& spec, std::optional<std::int64_t>& target,
              const std::string& help);
  void option(const std::string& spec, std::optional<std::uint64_t>& target,
              const std::string& help);
  void option(const std::string& spec, std::int32_t& target, const std::string& help);
  void option(const std::string& spec, float& target, const std::string& help);
  /// May be given several times, a value each.
  void option(const std::string& spec, std::vector<std::string>& target, const std::string& help);
  void flag(const std::string& name, bool& target, const std::string& help);
  void argument(const std::string& name, std::string& target, const std::string& help,
                Need need = Need::optional);

  /// One of the values of the latest option or argument; others are refused.
  void choices(const std::vector<std::string>& values);
  void example(const std::string& line, const std::string& what);
  void run(std::function<Outcome()> function) { run_ = std::move(function); }

  /// An option or argument, as completion shows it.
  struct Parameter {
    std::string name;        // "--model" or "PIPELINE"
    std::string value_name;  // "FILE"; empty for a flag
    std::vector<std::string> choices;
  };
  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Example>& examples() const { return examples_; }
  const std::vector<std::unique_ptr<CommandLine>>& commands() const { return commands_; }
  const std::function<Outcome()>& run() const { return run_; }

 private:
  friend class Program;
  using Take = std::function<void(const std::vector<std::string>&)>;
  void add(const std::string& spec, const Take& take, const std::string& help,
           const std::string& default_text, bool repeatable);
  std::vector<std::string> option_names() const;
  /// What is wrong with the words this command was given. `path`: how it is called.
  std::string explain(const std::exception& error, const std::string& path) const;
  /// The innermost command that was given.
  const CommandLine& given() const;

  CLI::App& app_;
  CLI::Option* latest_ = nullptr;  // option or argument
  std::string name_;
  std::string summary_;
  std::vector<Parameter> parameters_;
  std::vector<Example> examples_;
  std::vector<std::unique_ptr<CommandLine>> commands_;
  std::function<Outcome()> run_;
};

/// The program: its commands, and the words it was called with.
class Program {
 public:
  Program(const std::string& name, const std::string& summary);
  ~Program();

  CommandLine& commands() { return *root_; }
  const CommandLine& commands() const { return *root_; }

  /// What the words ask for: a command to run, or a help page to print.
  struct Parsed {
    const CommandLine* command = nullptr;
    std::string help;  // not empty when help was asked for
  };
  /// `words`: without the program's name. Once per Program.
  /// Errors: invalid_argument, with the nearest name and where the help is.
  Result<Parsed> parse(std::span<const std::string> words);

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<CommandLine> root_;
};

}  // namespace troupe::program
