#pragma once
#include "command_line.h"

#include <string>

namespace troupe::program {

/// A completion script for bash: commands, options, their choices, and file names where an option
/// or argument takes them.
std::string bash_completion(const CommandLine& program);

}  // namespace troupe::program
