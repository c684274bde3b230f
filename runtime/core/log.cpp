#include "troupe/core/log.h"

#include <spdlog/details/log_msg.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace troupe {
namespace {

constexpr const char* kPattern = "%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %n: %v";

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

LogLevel from_spdlog(spdlog::level::level_enum level) {
  if (level <= spdlog::level::debug) return LogLevel::debug;
  if (level == spdlog::level::info) return LogLevel::info;
  return level == spdlog::level::warn ? LogLevel::warning : LogLevel::error;
}

std::unique_ptr<spdlog::formatter> make_formatter() {
  return std::make_unique<spdlog::pattern_formatter>(kPattern, spdlog::pattern_time_type::utc, "");
}

/// Hands formatted lines to a function.
class FunctionSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FunctionSink(LogSink::Write write) : write_(std::move(write)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    line_.clear();
    base_sink::formatter_->format(message, line_);
    write_(from_spdlog(message.level), std::string_view(line_.data(), line_.size()));
  }
  void flush_() override {}

 private:
  LogSink::Write write_;
  spdlog::memory_buf_t line_;
};

/// Text that a client may have sent must not be able to forge a line or a field.
void append_value(std::string& line, std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of(" \"=\\") == text.npos &&
                     std::none_of(text.begin(), text.end(),
                                  [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (plain) {
    line += text;
    return;
  }
  constexpr char kHex[] = "0123456789abcdef";
  line += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (line += '\\') += c;
    } else if (byte < 0x20) {
      ((line += "\\x") += kHex[byte >> 4]) += kHex[byte & 15];
    } else {
      line += c;
    }
  }
  line += '"';
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
    case LogLevel::off:
      return "off";
  }
  return "unknown";
}

struct LogSink::Impl {
  std::shared_ptr<spdlog::sinks::sink> sink;
};

LogSink::LogSink(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

LogSink::LogSink(Write write, LogLevel level) : impl_(std::make_shared<Impl>()) {
  impl_->sink = std::make_shared<FunctionSink>(std::move(write));
  impl_->sink->set_formatter(make_formatter());
  impl_->sink->set_level(to_spdlog(level));
}

LogSink::~LogSink() = default;
LogSink::LogSink(LogSink&&) noexcept = default;
LogSink& LogSink::operator=(LogSink&&) noexcept = default;

LogSink LogSink::to_stderr(LogLevel level) {
  auto impl = std::make_shared<Impl>();
  impl->sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  impl->sink->set_formatter(
      std::make_unique<spdlog::pattern_formatter>(kPattern, spdlog::pattern_time_type::utc));
  impl->sink->set_level(to_spdlog(level));
  return LogSink(std::move(impl));
}

Logger::Logger(const LogSink& sink, std::string component)
    : impl_(sink.impl_), component_(std::move(component)) {}

bool Logger::enabled(LogLevel level) const {
  return impl_ != nullptr && level != LogLevel::off && impl_->sink->should_log(to_spdlog(level));
}

void Logger::log(LogLevel level, std::string_view text,
                 std::initializer_list<LogField> fields) const {
  if (!enabled(level)) return;
  std::string line(text);
  for (const auto& field : fields) {
    ((line += ' ') += field.key) += '=';
    append_value(line, field.value);
  }
  impl_->sink->log(spdlog::details::log_msg(component_, to_spdlog(level), line));
}

}  // namespace troupe
