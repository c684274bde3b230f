#include "troupe/model/jinja/percent_format.h"

#include "troupe/model/jinja/format_spec.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"

#include <cmath>
#include <string>
#include <string_view>

namespace troupe::model::jinja {
namespace {

/// Writes one format with its values.
class PercentFormatter {
 public:
  PercentFormatter(Render& render, const Text& format, const Var& values)
      : render_(render), format_(format), values_(values) {
    positional_ = values.is_sequence() && values.as_sequence().kind == SequenceKind::tuple;
  }

  Result<Text> run() {
    while (at_ < format_.size()) {
      const auto percent = std::min(format_.view().find('%', at_), format_.size());
      out_.append(format_, at_, percent);
      at_ = percent + 1;
      if (percent == format_.size()) break;
      JINJA_CHECK(render_.heap().check_text(out_.size()));
      JINJA_CHECK(conversion());
    }
    const auto given = positional_ ? values_.as_sequence().items.size() : 1;
    if (next_ < given && !values_.is_mapping())
      return fault("not all arguments converted during string formatting");
    return std::move(out_);
  }

 private:
  Result<void> conversion() {
    if (rest().starts_with('%')) {
      out_.append(format_, at_, at_ + 1);
      ++at_;
      return {};
    }
    Var value;
    if (rest().starts_with('(')) {
      JINJA_TRY(found, named_value());
      value = found;
    }
    FormatSpec spec;
    JINJA_CHECK(read_spec(spec));
    if (value.is_absent()) {
      JINJA_TRY(found, next_value());
      value = found;
    }
    return write(value, spec);
  }

  Result<Var> named_value() {
    const auto end = rest().find(')');
    if (end == std::string_view::npos) return fault("incomplete format key");
    const auto key = rest().substr(1, end - 1);
    if (!values_.is_mapping()) return fault("format requires a mapping");
    const Var* found = values_.as_mapping().find(key);
    if (!found)
      return fault("the format names '" + std::string(key) + "', which the mapping lacks");
    at_ += end + 1;
    return *found;
  }

  Result<Var> next_value() {
    const auto index = next_++;
    if (!positional_) {
      if (index == 0) return values_;
    } else if (index < values_.as_sequence().items.size()) {
      return values_.as_sequence().items[index];
    }
    return fault("not enough arguments for format string");
  }

  Result<std::size_t> number() {
    if (rest().starts_with('*')) {
      ++at_;
      JINJA_TRY(value, next_value());
      if (!value.is_integer()) return fault("* wants int");
      if (value.as_integer() < 0 || value.as_integer() > static_cast<std::int64_t>(kMaxFormatWidth))
        return fault("a width or precision outside 0.." + std::to_string(kMaxFormatWidth) +
                     " in a format");
      return static_cast<std::size_t>(value.as_integer());
    }
    auto text = rest();
    JINJA_TRY(width, read_width(text));
    at_ = format_.size() - text.size();
    return width;
  }

  Result<void> read_spec(FormatSpec& spec) {
    bool left = false;
    bool zero = false;
    for (; !rest().empty() && std::string_view("-+ #0").find(rest()[0]) != std::string_view::npos;
         ++at_) {
      const char flag = rest()[0];
      left |= flag == '-';
      zero |= flag == '0';
      spec.alternate |= flag == '#';
      if (flag == '+' || (flag == ' ' && spec.sign != '+')) spec.sign = flag;
    }
    spec.align = left ? '<' : zero ? '=' : '>';
    if (zero && !left) spec.fill = "0";
    JINJA_TRY(width, number());
    spec.width = width;
    if (rest().starts_with('.')) {
      ++at_;
      JINJA_TRY(precision, number());
      spec.has_precision = true;
      spec.precision = precision;
    }
    while (!rest().empty() && std::string_view("hlL").find(rest()[0]) != std::string_view::npos)
      ++at_;
    if (rest().empty()) return fault("incomplete format");
    spec.type = rest()[0];
    ++at_;
    return {};
  }

  Result<void> write(const Var& value, FormatSpec spec) {
    const char type = spec.type;
    if (type == 's' || type == 'r' || type == 'a' || (type == 'c' && value.is_string()))
      return write_text(value, spec, type == 'r' || type == 'a');
    if (std::string_view("diuoxXeEfFgGc").find(type) == std::string_view::npos)
      return fault(std::string("unsupported format character '") + type + "'");
    if (!value.is_number())
      return fault(std::string("%") + type + " format: a real number is required, not " +
                   std::string(type_name(value)));
    if (std::string_view("diu").find(type) == std::string_view::npos)
      return append_formatted(render_, out_, value, spec);
    spec.type = 'd';
    return write_whole(value, spec);
  }

  Result<void> write_whole(const Var& value, const FormatSpec& spec) {
    if (value.is_integer()) return append_formatted(render_, out_, value, spec);
    if (!(std::fabs(value.as_real()) < 9.2e18))
      return fault("cannot convert " + real_repr(value.as_real()) + " to an integer of 64 bits");
    return append_formatted(
        render_, out_, Var::integer(static_cast<std::int64_t>(value.as_real()), value.trusted()),
        spec);
  }

  Result<void> write_text(const Var& value, FormatSpec spec, bool as_repr) {
    Text text;
    if (as_repr) {
      JINJA_CHECK(append_repr(render_, text, value));
    } else {
      JINJA_CHECK(append_str(render_, text, value));
    }
    JINJA_TRY(shown, render_.heap().text(std::move(text)));
    spec.type = 's';
    if (spec.align == '=') spec.align = '>';
    spec.fill = " ";
    return append_formatted(render_, out_, shown, spec);
  }

  std::string_view rest() const { return format_.view().substr(std::min(at_, format_.size())); }

  Render& render_;
  const Text& format_;
  const Var& values_;
  bool positional_ = false;
  std::size_t at_ = 0;
  std::size_t next_ = 0;
  Text out_;
};

}  // namespace

Result<Var> percent_format(Render& render, const Var& format, const Var& values) {
  JINJA_CHECK(render.spend_bytes(format.as_text().size()));
  JINJA_TRY(text, PercentFormatter(render, format.as_text(), values).run());
  return render.heap().text(std::move(text));
}

}  // namespace troupe::model::jinja
