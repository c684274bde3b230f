#include "completion.h"

#include "command.h"

#include <cstdio>

namespace troupe::program {
namespace {

/// One branch of the script's case over the command that is being typed.
std::string branch(const CommandLine& command, const std::string& path) {
  std::string words;
  std::string values;
  bool files = false;
  for (const auto& next : command.commands())
    words += (words.empty() ? "" : " ") + next->name();
  for (const auto& parameter : command.parameters()) {
    const bool option = parameter.name.starts_with("-");
    if (option) words += (words.empty() ? "" : " ") + parameter.name;
    files = files || !option;
    if (!parameter.choices.empty()) {
      std::string list;
      for (const auto& choice : parameter.choices)
        list += (list.empty() ? "" : " ") + choice;
      values += "        " + parameter.name + ") choices=\"" + list + "\" ;;\n";
    } else if (parameter.value_name == "FILE" || parameter.value_name == "DIR") {
      values += "        " + parameter.name + ") files=1 ;;\n";
    } else if (option && !parameter.value_name.empty()) {
      values += "        " + parameter.name + ") nothing=1 ;;\n";
    }
  }
  std::string text = "    '" + path + "')\n      words=\"" + words + " --help\"\n";
  if (files) text += "      arguments=1\n";
  if (!values.empty()) text += "      case $previous in\n" + values + "      esac\n";
  return text + "      ;;\n";
}

void add_branches(const CommandLine& command, const std::string& path, std::string& text) {
  text += branch(command, path);
  for (const auto& next : command.commands())
    add_branches(*next, path.empty() ? next->name() : path + " " + next->name(), text);
}

/// The names of commands that have commands of their own: "model|bench".
std::string groups(const CommandLine& program) {
  std::string names;
  for (const auto& command : program.commands())
    if (!command->commands().empty()) names += (names.empty() ? "" : "|") + command->name();
  return names;
}

}  // namespace

std::string bash_completion(const CommandLine& program) {
  std::string text = R"(# Completion of troupe for bash; troupe completion bash made it.
_troupe() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local path= words= choices= files= arguments= nothing=
  if [ "$COMP_CWORD" -gt 1 ]; then
    path=${COMP_WORDS[1]}
    case $path in
      )" + groups(program) +
                     R"() [ "$COMP_CWORD" -gt 2 ] && path="$path ${COMP_WORDS[2]}" ;;
    esac
  fi
  case $path in
)";
  add_branches(program, "", text);
  return text + R"(  esac
  COMPREPLY=()
  if [ -n "$nothing" ]; then
    return
  elif [ -n "$choices" ]; then
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
  elif [ -n "$files" ] || { [ -n "$arguments" ] && [ "${current:0:1}" != - ]; }; then
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _troupe troupe
)";
}

void add_completion(CommandLine& program) {
  auto shell = std::make_shared<std::string>("bash");
  auto& command = program.command("completion", "print a completion script for the shell");
  command.argument("SHELL", *shell, "bash");
  command.choices({"bash"});
  command.example("troupe completion bash > ~/.local/share/bash-completion/completions/troupe",
                  "for all later shells");
  command.example("source <(troupe completion bash)", "for this shell");
  command.run([shell, &program]() -> Outcome {
    std::fputs(bash_completion(program).c_str(), stdout);
    return kDone;
  });
}

}  // namespace troupe::program
