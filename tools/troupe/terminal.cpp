#include "terminal.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace troupe::program {
namespace {

constexpr auto kPatience = std::chrono::seconds(2);

std::string styled(std::string_view code, std::string_view text) {
  const char* no_color = std::getenv("NO_COLOR");
  if (!messages_are_terminal() || (no_color && *no_color)) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace

bool input_is_terminal() {
  return isatty(STDIN_FILENO) == 1;
}

bool output_is_terminal() {
  return isatty(STDOUT_FILENO) == 1;
}

bool messages_are_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

std::string dimmed(std::string_view text) {
  return styled("2", text);
}

std::string bold(std::string_view text) {
  return styled("1", text);
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

Result<std::string> read_input(std::string_view what) {
  if (input_is_terminal())
    std::fprintf(
        stderr, "%s\n",
        dimmed("type " + std::string(what) + ", then Ctrl-D on a line of its own").c_str());
  std::string text;
  char buffer[1 << 16];
  while (true) {
    const auto count = std::fread(buffer, 1, sizeof buffer, stdin);
    text.append(buffer, count);
    if (count == 0) break;
  }
  if (std::ferror(stdin))
    return fail(ErrorCode::device, std::string("standard input: ") + std::strerror(errno));
  return text;
}

bool print_now(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written;
}

ProgressLine::ProgressLine(std::string text) : text_(std::move(text)) {
  if (messages_are_terminal()) thread_ = std::thread([this] { show(); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    ended_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

void ProgressLine::set_text(std::string text) {
  const std::lock_guard guard(mutex_);
  text_ = std::move(text);
}

void ProgressLine::show() {
  const auto ended = [this] { return ended_; };
  std::unique_lock lock(mutex_);
  const auto begin = std::chrono::steady_clock::now();
  if (ending_.wait_for(lock, kPatience, ended)) return;
  do {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin)
            .count();
    std::fprintf(stderr, "\r\x1b[K%s ... %lld s", text_.c_str(), static_cast<long long>(seconds));
    std::fflush(stderr);
  } while (!ending_.wait_for(lock, std::chrono::seconds(1), ended));
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace troupe::program
