#pragma once
#include "troupe/model/jinja/text.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::model::jinja {

struct Sequence;
struct Mapping;
struct Callable;
struct LoopState;
class MemoryMeter;

/// An immutable string of a template's run, shared by all variables that hold it.
struct StringBody {
  StringBody(Text content, bool is_markup, MemoryMeter* charged);
  ~StringBody();
  StringBody(const StringBody&) = delete;
  StringBody& operator=(const StringBody&) = delete;

  Text text;
  /// Result of `safe` or `escape`: `+` escapes what is added to it.
  bool markup = false;

 private:
  MemoryMeter* meter_;
};

/// A value of a template, as Python would have it. Strings are shared; sequences, mappings,
/// callables and loops belong to the rendering's Heap, so that no template can build a chain whose
/// destruction recurses.
class Var {
 public:
  enum class Kind : std::uint8_t {
    absent,  // an argument that was not given
    undefined,
    none,
    boolean,
    integer,
    real,
    string,
    sequence,
    mapping,
    callable,
    loop,
  };

  Var() = default;
  static Var undefined(std::string message);
  static Var none(bool trusted = false) { return Var(Kind::none, trusted); }
  static Var boolean(bool value, bool trusted = false);
  static Var integer(std::int64_t value, bool trusted = false);
  static Var real(double value, bool trusted = false);
  static Var string(std::shared_ptr<const StringBody> body);
  static Var sequence(Sequence* value);
  static Var mapping(Mapping* value);
  static Var callable(Callable* value);
  static Var loop(LoopState* value);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_absent() const { return kind_ == Kind::absent; }
  bool is_undefined() const { return kind_ == Kind::undefined; }
  bool is_none() const { return kind_ == Kind::none; }
  bool is_boolean() const { return kind_ == Kind::boolean; }
  /// As in Python, a boolean is an integer too.
  bool is_integer() const { return kind_ == Kind::integer || kind_ == Kind::boolean; }
  bool is_number() const { return is_integer() || kind_ == Kind::real; }
  bool is_string() const { return kind_ == Kind::string; }
  bool is_sequence() const { return kind_ == Kind::sequence; }
  bool is_mapping() const { return kind_ == Kind::mapping; }

  // Pre: the variable is of that kind.
  std::int64_t as_integer() const { return payload_.integer; }
  double as_real() const {
    return is(Kind::real) ? payload_.real : static_cast<double>(payload_.integer);
  }
  const Text& as_text() const { return body_->text; }
  bool is_markup() const { return is_string() && body_->markup; }
  Sequence& as_sequence() const { return *payload_.sequence; }
  Mapping& as_mapping() const { return *payload_.mapping; }
  Callable& as_callable() const { return *payload_.callable; }
  LoopState& as_loop() const { return *payload_.loop; }
  /// Of an undefined variable: the error that using it raises.
  const std::string& why_undefined() const { return body_->text.bytes(); }

  /// Whether a number, boolean or none was written or computed by the template alone.
  bool trusted() const { return trusted_; }

 private:
  union Payload {
    std::int64_t integer = 0;
    double real;
    Sequence* sequence;
    Mapping* mapping;
    Callable* callable;
    LoopState* loop;
  };

  Var(Kind kind, bool trusted) : kind_(kind), trusted_(trusted) {}

  std::shared_ptr<const StringBody> body_;  // of a string; of an undefined variable, why
  Payload payload_;
  Kind kind_ = Kind::absent;
  bool trusted_ = false;
};

/// Which Python type a sequence stands for.
enum class SequenceKind : std::uint8_t { list, tuple, range, view, generator };

struct Sequence {
  std::vector<Var> items;
  SequenceKind kind = SequenceKind::list;
  /// Of a generator: how many items were taken from it.
  std::size_t taken = 0;
};

/// A dict, or a namespace(), which is the one thing a template can change. Keys are strings or
/// scalars and keep their order.
struct Mapping {
  using Entry = std::pair<Var, Var>;
  std::vector<Entry> entries;
  bool is_namespace = false;

  /// The value at a key; nullptr when absent. Cost: linear.
  const Var* find(std::string_view key) const;
  const Var* find(const Var& key) const;
  void set(Var key, Var value);
};

/// Python's name of a variable's type, as in "'list object' has no attribute 'x'".
std::string_view type_name(const Var& value);
/// The words for a variable in messages on missing attributes: "list object", "None".
std::string type_words(const Var& value);
/// Python's truth of a value.
bool is_true(const Var& value);
/// Number of items or characters; -1 for what has no length.
std::int64_t length_of(const Var& value);
/// Whether two keys of a mapping are the same: 1, 1.0 and true are. Pre: both are strings or
/// scalars.
bool same_key(const Var& left, const Var& right);

}  // namespace troupe::model::jinja
