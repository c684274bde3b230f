// tools/simulate: runs seeds of the simulated actors and says which failed.
#include "actor_run.h"
#include "troupe/plugin/registry.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace troupe;
using namespace troupe::simulation;

constexpr std::string_view kHelp = R"(Usage: tools/simulate [--seeds N] [--first S] | --seed S

Runs the runtime's actors under a seeded scheduler, in virtual time, with faults.
  --seeds N   how many seeds (default 2000)
  --first S   the first of them (default 1)
  --seed S    this seed alone, with everything that happens and its fingerprint
Prints the seed of each failure, which replays it, and at the end the faults by kind.
Ends with 1 when a seed failed.
)";

struct Arguments {
  std::uint64_t first = 1;
  std::uint64_t seeds = 2000;
  bool one = false;
};

std::optional<std::uint64_t> number(std::string_view text) {
  char* end = nullptr;
  const std::string copy(text);
  const auto value = std::strtoull(copy.c_str(), &end, 10);
  if (copy.empty() || *end != '\0' || copy.front() == '-') return std::nullopt;
  return value;
}

std::optional<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const auto value = number(argv[i + 1]);
    if (!value) return std::nullopt;
    if (name == "--seeds") {
      arguments.seeds = *value;
    } else if (name == "--first") {
      arguments.first = *value;
    } else if (name == "--seed") {
      arguments = {*value, 1, true};
    } else {
      return std::nullopt;
    }
  }
  if (argc % 2 == 0) return std::nullopt;  // a name without a value
  return arguments;
}

void print(const Outcome& all) {
  std::cout << all.turns << " turns, " << all.tokens << " tokens\nrequests by end:\n";
  for (const auto& [reason, count] : all.ends)
    std::cout << "  " << reason << ": " << count << '\n';
  std::cout << "faults by kind:\n";
  for (std::size_t i = 0; i < kNumFaults; ++i)
    std::cout << "  " << kFaultNames[i] << ": " << all.faults[static_cast<Fault>(i)] << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::cout << kHelp;
    return 0;
  }
  const auto arguments = parse(argc, argv);
  if (!arguments) {
    std::cerr << kHelp;
    return 2;
  }
  const Registry registry({.folders = {std::string(TROUPE_BINARY_DIR) + "/lib/troupe/plugins"}});
  const SimulatedPipeline pipeline(registry);
  Outcome all;
  std::uint64_t failed = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < arguments->seeds; ++i) {
    const auto outcome = run(make_actor_scenario(arguments->first + i), pipeline,
                             arguments->one ? &std::cout : nullptr);
    if (outcome) {
      all.add(*outcome);
      if (arguments->one) std::cout << "trace " << outcome->trace << '\n';
      continue;
    }
    ++failed;
    std::cout << outcome.error().message() << "\n  replay: tools/simulate --seed "
              << arguments->first + i << std::endl;  // at once: there may be many seeds to come
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << arguments->seeds << " seeds, " << failed << " failed, " << seconds.count() << " s\n";
  print(all);
  return failed == 0 ? 0 : 1;
}
