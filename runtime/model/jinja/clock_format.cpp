#include "troupe/model/jinja/clock_format.h"

#include <ctime>
#include <locale.h>
#include <time.h>

namespace troupe::model::jinja {
namespace {

constexpr std::size_t kMaxFormat = 1000;

std::tm calendar(std::chrono::local_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::tm parts{};
  parts.tm_year = static_cast<int>(date.year()) - 1900;
  parts.tm_mon = static_cast<int>(static_cast<unsigned>(date.month())) - 1;
  parts.tm_mday = static_cast<int>(static_cast<unsigned>(date.day()));
  parts.tm_hour = static_cast<int>(clock.hours().count());
  parts.tm_min = static_cast<int>(clock.minutes().count());
  parts.tm_sec = static_cast<int>(clock.seconds().count());
  parts.tm_wday = static_cast<int>(std::chrono::weekday(day).c_encoding());
  const auto new_year = std::chrono::local_days(date.year() / std::chrono::January / 1);
  parts.tm_yday = static_cast<int>((day - new_year).count());
  parts.tm_isdst = -1;
  return parts;
}

locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

}  // namespace

Result<std::string> format_time(std::string_view format, std::chrono::local_seconds time) {
  if (format.empty()) return std::string();
  if (format.size() > kMaxFormat)
    return fail(ErrorCode::invalid_argument,
                "strftime_now() takes at most " + std::to_string(kMaxFormat) + " bytes");
  const auto parts = calendar(time);
  // The final letter tells an empty result, such as that of %p in some locales, from one that did
  // not fit.
  const auto marked = std::string(format) + "x";
  std::string shown(marked.size() * 40, '\0');
  const auto size = strftime_l(shown.data(), shown.size(), marked.c_str(), &parts, c_locale());
  if (size == 0)
    return fail(ErrorCode::invalid_argument,
                "strftime_now() cannot show '" + std::string(format) + "'");
  shown.resize(size - 1);
  return shown;
}

}  // namespace troupe::model::jinja
