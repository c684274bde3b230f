#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace troupe {

enum class LogLevel : std::uint8_t { debug, info, warning, error, off };

std::string_view to_string(LogLevel level);

/// One `key=value` of a log line: request, sequence, step, tp_rank, ...
struct LogField {
  std::string key;
  std::string value;

  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  LogField(std::string_view name, const char* text) : key(name), value(text) {}
  LogField(std::string_view name, bool flag) : key(name), value(flag ? "true" : "false") {}
  template <class Number>
  requires std::is_arithmetic_v<Number> LogField(std::string_view name, Number number)
      : key(name), value(std::to_string(number)) {}
};

/// Where a runtime's log lines go. Several may exist in one process and do not know of each other;
/// without one nothing is written: libraries never print by themselves. Any thread may use it.
class LogSink {
 public:
  /// Takes one whole line without its end; calls come one at a time.
  using Write = std::function<void(LogLevel, std::string_view line)>;

  /// Lines below `level` are dropped before they are made.
  explicit LogSink(Write write, LogLevel level = LogLevel::info);
  ~LogSink();
  LogSink(LogSink&&) noexcept;
  LogSink& operator=(LogSink&&) noexcept;

  /// Writes lines `2026-11-29T22:30:00.123Z info component: text key=value` to standard error,
  /// coloured when that is a terminal.
  static LogSink to_stderr(LogLevel level = LogLevel::info);

 private:
  friend class Logger;
  struct Impl;
  explicit LogSink(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

/// The log of one component. Cheap to copy; keeps its sink's target alive. Info is for life-cycle,
/// debug for what happens once a step; nothing is logged per token. Any thread may use it.
class Logger {
 public:
  /// Drops every line.
  Logger() = default;
  Logger(const LogSink& sink, std::string component);

  bool enabled(LogLevel level) const;
  void log(LogLevel level, std::string_view text,
           std::initializer_list<LogField> fields = {}) const;

  void debug(std::string_view text, std::initializer_list<LogField> fields = {}) const {
    log(LogLevel::debug, text, fields);
  }
  void info(std::string_view text, std::initializer_list<LogField> fields = {}) const {
    log(LogLevel::info, text, fields);
  }
  void warning(std::string_view text, std::initializer_list<LogField> fields = {}) const {
    log(LogLevel::warning, text, fields);
  }
  void error(std::string_view text, std::initializer_list<LogField> fields = {}) const {
    log(LogLevel::error, text, fields);
  }

 private:
  std::shared_ptr<LogSink::Impl> impl_;
  std::string component_;
};

}  // namespace troupe
