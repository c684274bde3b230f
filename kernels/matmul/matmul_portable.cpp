#define TROUPE_INLINE inline
#define TROUPE_UNROLL
#include "kernels/matmul/pack_kernels.h"
#include "kernels/matmul/tile_kernels.h"
#include "kernels/matmul/variants.h"

#include <cstring>

namespace troupe::kernels {
namespace {

/// 16 lanes in plain arrays; the compiler makes of them what the target has.
struct Portable {
  using PackLoops = PlainLoops;
  struct F {
    float v[16];
  };
  struct I {
    std::int32_t v[16];
  };
  static constexpr int kInterleave = 1;
  static constexpr int kStreams = 1;
  static constexpr int kLargestInteger = 0;
  static constexpr int kLargestFloat = 0;
  static constexpr int kBias4 = 8;

  template <class T, class Function>
  static T each(Function function) {
    T result;
    for (int i = 0; i < 16; ++i)
      result.v[i] = function(i);
    return result;
  }
  template <class T>
  static T read(const void* at) {
    T result;
    std::memcpy(&result, at, sizeof result);
    return result;
  }

  static F zero() { return {}; }
  static F load(const void* at) { return read<F>(at); }
  static F load_half(const void* at) {
    return each<F>([&](int i) {
      const std::uint16_t half = read<std::uint16_t>(static_cast<const char*>(at) + i * 2);
      const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16,
                          magnitude = half & 0x7fffu;
      if (magnitude >= 0x7c00) {
        const std::uint32_t special = sign | 0x7f800000 | (magnitude & 0x3ff) << 13;
        return read<float>(&special);
      }
      const std::uint32_t shifted = magnitude << 13;
      const float scaled = read<float>(&shifted) * 0x1p112f;
      return sign ? -scaled : scaled;
    });
  }
  static F broadcast(const void* at) {
    const float value = read<float>(at);
    return each<F>([&](int) { return value; });
  }
  static F add(const F& a, const F& b) {
    return each<F>([&](int i) { return a.v[i] + b.v[i]; });
  }
  static F mul(const F& a, const F& b) {
    return each<F>([&](int i) { return a.v[i] * b.v[i]; });
  }
  static F fma(const F& a, const F& b, const F& c) {
    return each<F>([&](int i) { return __builtin_fmaf(a.v[i], b.v[i], c.v[i]); });
  }
  static void store(const F& f, float* to) { std::memcpy(to, &f, sizeof f); }
  static void store_some(const F& f, float* to, int count, bool accumulate) {
    for (int i = 0; i < count; ++i)
      to[i] = accumulate ? to[i] + f.v[i] : f.v[i];
  }

  static I zero_int() { return {}; }
  static I set_int(int value) {
    return each<I>([&](int) { return value; });
  }
  static I load_int(const void* at) { return read<I>(at); }
  static I broadcast_int(const void* at) { return set_int(read<std::int32_t>(at)); }
  static I add_int(const I& a, const I& b) {
    return each<I>([&](int i) { return a.v[i] + b.v[i]; });
  }
  static I and_int(const I& a, const I& b) {
    return each<I>([&](int i) { return a.v[i] & b.v[i]; });
  }
  template <int kBits>
  static I shift_left(const I& a) {
    return each<I>([&](int i) {
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(a.v[i]) << kBits);
    });
  }
  template <int kBits>
  static I shift_right(const I& a) {
    return each<I>([&](int i) {
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(a.v[i]) >> kBits);
    });
  }
  template <int kBits>
  static I arithmetic_right(const I& a) {
    return each<I>([&](int i) { return a.v[i] >> kBits; });
  }
  static F to_float(const I& a) {
    return each<F>([&](int i) { return static_cast<float>(a.v[i]); });
  }
  static F as_float(const I& a) { return read<F>(&a); }

  /// [unit][row * 4 + column], unsigned.
  struct Bytes {
    std::uint8_t v[8][64];
  };
  template <bool kFourBits, bool>
  struct Codes : Bytes {};

  template <bool kMinimum>
  static void unpack(const std::byte* from, Codes<true, kMinimum>& codes) {
    for (int v = 0; v < 4; ++v)
      for (int i = 0; i < 64; ++i) {
        codes.v[2 * v][i] = static_cast<std::uint8_t>(from[v * 64 + i]) & 15;
        codes.v[2 * v + 1][i] = static_cast<std::uint8_t>(from[v * 64 + i]) >> 4;
      }
  }
  template <bool kMinimum>
  static void unpack(const std::byte* from, Codes<false, kMinimum>& codes) {
    std::memcpy(codes.v, from, sizeof codes.v);
  }

  template <int kCount, int kFirst, int kLast>
  static void dot(const Bytes& codes, const std::byte* activations, int stride, I (&sums)[kCount]) {
    for (int n = 0; n < kCount; ++n)
      for (int unit = kFirst; unit < kLast; ++unit)
        for (int i = 0; i < 64; ++i)
          sums[n].v[i / 4] += codes.v[unit][i] *
                              static_cast<std::int8_t>(activations[n * stride + unit * 4 + i % 4]);
  }
  template <int kFirst, int kLast>
  static I total(const Bytes& codes) {
    I sums{};
    for (int unit = kFirst; unit < kLast; ++unit)
      for (int i = 0; i < 64; ++i)
        sums.v[i / 4] += codes.v[unit][i];
    return sums;
  }
  static constexpr int kBytesAhead = 0;
  static void prefetch(const std::byte*) {}
};

}  // namespace

const MatmulVariant kMatmulPortable = make_variant<Portable>("portable", CpuLevel::portable);

}  // namespace troupe::kernels
