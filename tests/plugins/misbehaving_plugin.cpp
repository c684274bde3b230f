// A sampler whose factory does what the build says: PLUGIN_good, PLUGIN_throws, ...
#include "troupe/api/plugin.h"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace {

using namespace troupe;

class First final : public Sampler {
 public:
  void sample(const SampleBatch& batch, SampledTokens& out) const override {
    out.tokens.assign(batch.rows.size(), {});
  }
};

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

constexpr OperatorSpec make_spec() {
  auto spec = make_operator<First, OperatorKind::sampler>(TEXT(PLUGIN_NAME),
                                                          "for tests of the loader", "", {});
#if defined(PLUGIN_throws)
  spec.create = []() -> Operator* { throw std::runtime_error("planted fault"); };
#elif defined(PLUGIN_blocks)
  spec.create = []() -> Operator* {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    return new First();
  };
#elif defined(PLUGIN_returns_nothing)
  spec.create = []() -> Operator* { return nullptr; };
#endif
  return spec;
}

constexpr OperatorSpec kSpec = make_spec();

}  // namespace

#define EXPORT_(name) TROUPE_PLUGIN(sampler, name, kSpec)
#define EXPORT(name) EXPORT_(name)
EXPORT(PLUGIN_NAME)
