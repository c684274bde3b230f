// Speed of the matmul kernels beside the limits of the machine, on the shapes of SmolLM2-135M.
// Usage: matmul_bench [threads] [rounds] [steps|shapes]
#include "kernels/matmul/machine_limits.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/random_weights.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace troupe;
using namespace troupe::kernels;

struct Shape {
  const char* name;
  std::int64_t n, k;
};
constexpr Shape kLayer[] = {
    {"qkv", 960, 576}, {"o", 576, 576}, {"gate_up", 3072, 576}, {"down", 576, 1536}};
constexpr Shape kHead = {"head", 49152, 576};

struct Bench {
  ThreadTeam team;
  int rounds;
  const MatmulVariant& variant = matmul_variant();
  HugeBuffer memory;  // larger than any cache
  WeightArena arena = {};
  MachineLimits limits = {};
};

PackedMatrix random_matrix(Bench& bench, const Shape& shape, WeightFormat format) {
  return PackedMatrix::pack(random_weights(7, shape.n, shape.k, format), bench.team, bench.arena)
      .value();
}

/// A matmul of the skeleton with its own memory, as an executor would have it.
struct Product {
  Product(Bench& bench, const PackedMatrix& w, Precision wanted, std::int64_t rows)
      : weights(&w),
        x(random_activations(8, rows * w.k())),
        y(static_cast<std::size_t>(rows * w.n())),
        memory(PackedActivations::bytes(precision_for(w.format(), wanted), rows, w.k())),
        activations(bench.variant, precision_for(w.format(), wanted), rows, w.k(), memory.data()) {}

  void run(ThreadTeam& team) {
    activations.pack(team, x.data(), weights->k());
    team.barrier();
    const MatmulOutput output{weights, y.data(), weights->n(), false};
    matmul(team, activations, std::span(&output, 1));
    team.barrier();
  }

  const PackedMatrix* weights;
  std::vector<float> x, y;
  std::vector<std::byte> memory;
  PackedActivations activations;
};

void report(const Bench& bench, const std::string& what, const std::vector<double>& times,
            double operations, double bytes) {
  const double seconds = median(times), speed = operations / seconds, bandwidth = bytes / seconds;
  std::printf(
      "%-32s %8.0f us (best %8.0f) %6.1f GOP/s (%4.1f %% of VNNI) %5.2f GB/s (%4.1f %% of "
      "reading)\n",
      what.c_str(), seconds * 1e6, times.front() * 1e6, speed / 1e9,
      100 * speed / bench.limits.int8_ops_per_second, bandwidth / 1e9,
      100 * bandwidth / bench.limits.read_bytes_per_second);
  std::fflush(stdout);
}

void calibrate(Bench& bench) {
  bench.limits = measure_limits(bench.team, bench.memory);
  std::printf("limits: %.0f GOP/s vpdpbusd, %.1f GB/s reading\n",
              bench.limits.int8_ops_per_second / 1e9, bench.limits.read_bytes_per_second / 1e9);
}

std::string label(const char* shape, WeightFormat format, Precision precision, std::int64_t rows) {
  return std::string(shape) + " " + std::string(to_string(format)) + " " +
         std::string(to_string(precision)) + " x" + std::to_string(rows);
}

void bench_shape(Bench& bench, const Shape& shape, WeightFormat format, Precision precision,
                 std::int64_t rows) {
  const PackedMatrix w = random_matrix(bench, shape, format);
  Product product(bench, w, precision, rows);
  const auto times =
      time_rounds(bench.rounds, [&] { bench.team.run([&](int) { product.run(bench.team); }); });
  report(bench, label(shape.name, format, product.activations.precision(), rows), times,
         2.0 * static_cast<double>(rows * w.n() * w.k()), static_cast<double>(w.bytes()));
}

/// All matmuls of one step of the model, its weights read from memory each time.
void bench_step(Bench& bench, WeightFormat format, WeightFormat head, Precision precision,
                std::int64_t rows) {
  constexpr int kLayers = 30;
  std::vector<PackedMatrix> matrices;
  for (int layer = 0; layer < kLayers; ++layer)
    for (const auto& shape : kLayer)
      matrices.push_back(random_matrix(bench, shape, format));
  matrices.push_back(random_matrix(bench, kHead, head));
  std::vector<Product> products;
  double bytes = 0, operations = 0;
  for (const auto& w : matrices) {
    products.emplace_back(bench, w, precision, rows);
    bytes += static_cast<double>(w.bytes());
    operations += 2.0 * static_cast<double>(rows * w.n() * w.k());
  }
  const auto times = time_rounds(bench.rounds, [&] {
    bench.team.run([&](int) {
      for (auto& product : products)
        product.run(bench.team);
    });
  });
  report(bench, label("step", format, precision, rows), times, operations, bytes);
}

void bench_steps(Bench& bench) {
  for (const auto precision : {Precision::int8x2, Precision::int8, Precision::f32})
    for (const std::int64_t rows : {1, 2, 4, 8}) {
      calibrate(bench);
      bench_step(bench, WeightFormat::int4_min, WeightFormat::int8, precision, rows);
    }
}

void bench_shapes(Bench& bench) {
  for (const auto format :
       {WeightFormat::int4_min, WeightFormat::int4, WeightFormat::int8, WeightFormat::bf16})
    for (const auto precision : {Precision::int8x2, Precision::int8, Precision::f32}) {
      if (precision_for(format, precision) != precision) continue;
      calibrate(bench);
      for (const auto& shape : kLayer)
        bench_shape(bench, shape, format, precision, 512);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  const std::string part = argc > 3 ? argv[3] : "all";
  Bench bench{ThreadTeam(threads), rounds, matmul_variant(),
              HugeBuffer::allocate(std::size_t{256} << 20).value()};
  std::memset(bench.memory.data(), 1, bench.memory.size());
  std::printf("variant %s, %d threads\n", std::string(bench.variant.name).c_str(), threads);
  if (part != "shapes") bench_steps(bench);
  if (part != "steps") bench_shapes(bench);
}
