#pragma once
#include "troupe/api/ids.h"
#include "troupe/model/dequantize.h"
#include "troupe/model/model_file.h"
#include "troupe/model/model_spec.h"
#include "troupe/model/tensor_names.h"
#include "troupe/model/weight_type.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

// The forward pass of a Llama model in double precision, one token at a time, written to be read:
// with it the tests of this folder show that spec and weights mean what they say.
namespace troupe::model::testing {

using Vector = std::vector<double>;

class PlainForward {
 public:
  PlainForward(const ModelFile& file, const ModelSpec& spec) : file_(file), spec_(spec) {
    keys_.resize(spec.num_layers);
    values_.resize(spec.num_layers);
  }

  /// Logits [vocab_size] after `token` at the next position.
  Vector step(TokenId token) {
    Vector x = matrix_row(kTokenEmbedding, token);
    for (std::int64_t layer = 0; layer < spec_.num_layers; ++layer) {
      add(x, attention(layer, normed(x, layer_tensor(layer, "attn_norm.weight"))));
      add(x, mlp(layer, normed(x, layer_tensor(layer, "ffn_norm.weight"))));
    }
    ++position_;
    return product(spec_.tied_embeddings ? kTokenEmbedding : kOutputHead, normed(x, kOutputNorm));
  }

 private:
  Vector matrix_row(std::string_view name, std::int64_t row) {
    const auto& tensor = *file_.tensor(name);
    std::vector<float> values(tensor.shape.back());
    const auto bytes = row_bytes(tensor.type, tensor.shape.back());
    dequantize_row(tensor.type, tensor.data.data() + row * bytes, values.data(),
                   tensor.shape.back());
    return {values.begin(), values.end()};
  }

  Vector product(std::string_view name, const Vector& x) {
    Vector out(file_.tensor(name)->shape.front());
    for (std::size_t row = 0; row < out.size(); ++row) {
      const auto weights = matrix_row(name, static_cast<std::int64_t>(row));
      for (std::size_t i = 0; i < x.size(); ++i)
        out[row] += weights[i] * x[i];
    }
    return out;
  }

  Vector normed(const Vector& x, std::string_view weight_name) {
    double squares = 0;
    for (const auto value : x)
      squares += value * value;
    const double scale =
        1 / std::sqrt(squares / static_cast<double>(x.size()) + spec_.rms_norm_eps);
    auto out = matrix_row(weight_name, 0);
    for (std::size_t i = 0; i < x.size(); ++i)
      out[i] *= x[i] * scale;
    return out;
  }

  /// Adjacent pairs turn, as in GGUF files of this family.
  void rotate(Vector& heads) const {
    const auto& rope = spec_.rope;
    for (std::size_t head = 0; head < heads.size(); head += spec_.head_dim)
      for (std::int64_t i = 0; i < rope.dims / 2; ++i) {
        double angle =
            static_cast<double>(position_) / rope.linear_factor *
            std::pow(rope.theta, -2.0 * static_cast<double>(i) / static_cast<double>(rope.dims));
        if (!rope.divisors.empty()) angle /= rope.divisors[i];
        double& a = heads[head + 2 * i];
        double& b = heads[head + 2 * i + 1];
        const double turned = a * std::cos(angle) - b * std::sin(angle);
        b = a * std::sin(angle) + b * std::cos(angle);
        a = turned;
      }
  }

  Vector attention(std::int64_t layer, const Vector& x) {
    auto q = product(layer_tensor(layer, "attn_q.weight"), x);
    auto k = product(layer_tensor(layer, "attn_k.weight"), x);
    rotate(q);
    rotate(k);
    keys_[layer].push_back(k);
    values_[layer].push_back(product(layer_tensor(layer, "attn_v.weight"), x));
    Vector out(q.size());
    for (std::int64_t head = 0; head < spec_.num_attention_heads; ++head)
      attend(layer, head, q, out);
    return product(layer_tensor(layer, "attn_output.weight"), out);
  }

  void attend(std::int64_t layer, std::int64_t head, const Vector& q, Vector& out) const {
    const auto dim = spec_.head_dim;
    const auto kv_head = head / (spec_.num_attention_heads / spec_.num_kv_heads);
    Vector weights;
    double sum = 0;
    for (std::size_t t = first_seen(); t < keys_[layer].size(); ++t) {
      const auto& key = keys_[layer][t];
      double score = 0;
      for (std::int64_t i = 0; i < dim; ++i)
        score += q[head * dim + i] * key[kv_head * dim + i];
      weights.push_back(std::exp(score / std::sqrt(static_cast<double>(dim))));
      sum += weights.back();
    }
    for (std::size_t t = 0; t < weights.size(); ++t)
      for (std::int64_t i = 0; i < dim; ++i)
        out[head * dim + i] +=
            weights[t] / sum * values_[layer][first_seen() + t][kv_head * dim + i];
  }

  /// The first position that the sliding window of the present one holds.
  std::size_t first_seen() const {
    const auto outside = position_ + 1 - spec_.sliding_window;
    return spec_.sliding_window > 0 && outside > 0 ? static_cast<std::size_t>(outside) : 0;
  }

  Vector mlp(std::int64_t layer, const Vector& x) {
    auto gate = product(layer_tensor(layer, "ffn_gate.weight"), x);
    const auto up = product(layer_tensor(layer, "ffn_up.weight"), x);
    for (std::size_t i = 0; i < gate.size(); ++i)
      gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
    return product(layer_tensor(layer, "ffn_down.weight"), gate);
  }

  static void add(Vector& x, const Vector& y) {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] += y[i];
  }

  const ModelFile& file_;
  const ModelSpec& spec_;
  std::map<std::string, std::vector<Vector>> weights_;  // dequantized when first used
  std::int64_t position_ = 0;
  std::vector<std::vector<Vector>> keys_;  // [layer][position]
  std::vector<std::vector<Vector>> values_;
};

}  // namespace troupe::model::testing
