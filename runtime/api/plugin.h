#pragma once
#include "troupe/api/drafter.h"
#include "troupe/api/executor.h"
#include "troupe/api/ingress.h"
#include "troupe/api/operator.h"
#include "troupe/api/ports.h"
#include "troupe/api/router.h"
#include "troupe/api/sampler.h"
#include "troupe/api/scheduler.h"
#include "troupe/api/stage.h"
#include "troupe/api/tokenizer.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <troupe_api_hash.h>
#include <type_traits>

namespace troupe {

/// Changes whenever a type or virtual function of runtime/api changes.
inline constexpr std::uint32_t kApiVersion = 1;

#define TROUPE_STRINGIZE_(x) #x
#define TROUPE_STRINGIZE(x) TROUPE_STRINGIZE_(x)
/// Compiler, standard library, language level and the very headers of the contract: what must agree
/// for C++ objects to be shared.
#define TROUPE_ABI_ID \
  "itanium-cxxabi" TROUPE_STRINGIZE(__GXX_ABI_VERSION) " libstdc++" TROUPE_STRINGIZE( \
      _GLIBCXX_USE_CXX11_ABI) " c++20 " TROUPE_STRINGIZE(__SIZEOF_POINTER__) " api"   \
                                                                             " " TROUPE_API_HASH

/// The identity of a plugin, in an ELF section of its own: the loader reads it from the file and
/// refuses a mismatch before any code of the library runs.
struct PluginIdentity {
  char magic[8];  // "TROUPE\0\1"
  std::uint32_t api_version;
  std::uint32_t size;  // sizeof(PluginIdentity)
  char abi[64];
  char kind[16];   // of its operator, as in the folder's name
  char name[64];   // equal to the folder and the library
  char build[64];  // tells two builds of one plugin apart
};

enum class ThreadRule : std::uint8_t {
  single,       // one call at a time, always on one thread
  any_thread,   // const calls may come from several threads at once
  owns_threads  // has threads of its own (doors, executors)
};

struct Traits {
  bool stateless = false;     // no state between calls: may be swapped without hand-over
  bool deterministic = true;  // equal input, equal output
  ThreadRule threads = ThreadRule::single;
};

/// What an operator is: one table from which parsing, validation, `troupe inspect`, the reference
/// page and the conformance suite are made.
struct OperatorSpec {
  OperatorKind kind;
  std::string_view name;     // equal to the folder and the library
  std::string_view summary;  // one line
  std::string_view source;   // paper, section or file format; may be empty
  std::span<const ParamSpec> params;
  Traits traits;
  std::span<const PortSpec> ports;  // those of its kind, unless it says otherwise
  Operator* (*create)();            // may throw; the caller owns the object
};

/// Exported by every plugin under the C symbol "troupe_plugin".
struct PluginDescriptor {
  const PluginIdentity* identity;
  const OperatorSpec* spec;
};

namespace detail {

template <OperatorKind kind>
struct KindBase;
template <>
struct KindBase<OperatorKind::ingress> {
  using type = Ingress;
};
template <>
struct KindBase<OperatorKind::stage> {
  using type = Stage;
};
template <>
struct KindBase<OperatorKind::tokenizer> {
  using type = Tokenizer;
};
template <>
struct KindBase<OperatorKind::scheduler> {
  using type = Scheduler;
};
template <>
struct KindBase<OperatorKind::kv_cache> {
  using type = KvCache;
};
template <>
struct KindBase<OperatorKind::executor> {
  using type = Executor;
};
template <>
struct KindBase<OperatorKind::sampler> {
  using type = Sampler;
};
template <>
struct KindBase<OperatorKind::drafter> {
  using type = Drafter;
};
template <>
struct KindBase<OperatorKind::router> {
  using type = Router;
};

constexpr PluginIdentity make_identity(std::string_view kind, std::string_view name,
                                       std::string_view build) {
  PluginIdentity identity{};
  constexpr char magic[8] = {'T', 'R', 'O', 'U', 'P', 'E', '\0', '\1'};
  for (std::size_t i = 0; i < 8; ++i)
    identity.magic[i] = magic[i];
  identity.api_version = kApiVersion;
  identity.size = sizeof(PluginIdentity);
  const auto copy = [](char* to, std::size_t room, std::string_view from) {
    for (std::size_t i = 0; i < from.size() && i + 1 < room; ++i)
      to[i] = from[i];
  };
  copy(identity.abi, sizeof identity.abi, TROUPE_ABI_ID);
  copy(identity.kind, sizeof identity.kind, kind);
  copy(identity.name, sizeof identity.name, name);
  copy(identity.build, sizeof identity.build, build);
  return identity;
}

}  // namespace detail

/// The spec of operator class T, which must derive from the base of its kind.
template <class T, OperatorKind kind>
constexpr OperatorSpec make_operator(std::string_view name, std::string_view summary,
                                     std::string_view source, std::span<const ParamSpec> params,
                                     Traits traits = {}) {
  static_assert(std::is_base_of_v<typename detail::KindBase<kind>::type, T>,
                "an operator derives from the base class of its kind");
  return {kind,   name,   summary,        source,
          params, traits, ports_of(kind), []() -> Operator* { return new T(); }};
}

}  // namespace troupe

/// The build id comes from CMake (troupe_add_plugin); by hand, the time of compilation serves.
#ifndef TROUPE_PLUGIN_BUILD
#define TROUPE_PLUGIN_BUILD __DATE__ " " __TIME__
#endif

/// Exports a plugin: put once at global scope, after a constexpr OperatorSpec `spec`.
///   TROUPE_PLUGIN(sampler, min_p, kSpec)
#define TROUPE_PLUGIN(kind_, name_, spec_)                                               \
  static_assert((spec_).kind == ::troupe::OperatorKind::kind_ && (spec_).name == #name_, \
                "the descriptor's kind and name are those of the folder");               \
  [[gnu::section(".troupe.plugin"),                                                      \
    gnu::used]] static constexpr ::troupe::PluginIdentity troupe_plugin_identity =       \
      ::troupe::detail::make_identity(#kind_, #name_, TROUPE_PLUGIN_BUILD);              \
  extern "C" {                                                                           \
  [[gnu::visibility("default")]] extern const ::troupe::PluginDescriptor troupe_plugin;  \
  const ::troupe::PluginDescriptor troupe_plugin{&troupe_plugin_identity, &(spec_)};     \
  }
