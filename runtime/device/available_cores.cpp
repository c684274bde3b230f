#include "troupe/device/available_cores.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sched.h>
#include <string>
#include <thread>

namespace troupe {
namespace {

int cores_of_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

/// The folder of this process in the unified hierarchy, such as "/user.slice".
std::string control_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return "/";
}

}  // namespace

int cores_of_quota(std::string_view text) {
  double quota = 0, period = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, quota);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ' ') return 0;
  const auto second = std::from_chars(first.ptr + 1, end, period);
  if (second.ec != std::errc{} || !(quota > 0) || !(period > 0) || quota / period > 1e6) return 0;
  const auto cores = static_cast<int>(quota / period);
  return quota / period > cores ? cores + 1 : cores;
}

int available_cores() {
  int cores = std::max(1, cores_of_affinity());
  // A quota holds for everything below the group that sets it.
  for (std::string group = control_group();; group.erase(group.rfind('/'))) {
    std::ifstream file("/sys/fs/cgroup" + group + "/cpu.max");
    std::string text;
    if (std::getline(file, text))
      if (const int quota = cores_of_quota(text); quota > 0) cores = std::min(cores, quota);
    if (group.empty() || group.rfind('/') == std::string::npos) return cores;
  }
}

}  // namespace troupe
