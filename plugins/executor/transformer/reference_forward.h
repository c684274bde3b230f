#pragma once
// A forward pass for tests: one sequence, whole prompt, every number in double, nothing shared with
// the executor but the names of tensors.
#include "troupe/model/dequantize.h"
#include "troupe/model/model_file.h"
#include "troupe/model/transformer_spec.h"
#include "troupe/model/weight_type.h"

#include <cmath>
#include <string>
#include <vector>

namespace troupe::transformer::testing {

class ReferenceForward {
 public:
  using Vector = std::vector<double>;

  ReferenceForward(const model::ModelFile& file, const model::ModelSpec& spec)
      : file_(file), spec_(spec) {}

  /// Logits [ids.size()][vocab_size].
  std::vector<Vector> logits(const std::vector<std::int32_t>& ids) const {
    std::vector<Vector> rows;
    for (const auto id : ids)
      rows.push_back(matrix_row("token_embd.weight", id));
    for (std::int64_t i = 0; i < spec_.num_layers; ++i)
      layer("blk." + std::to_string(i) + ".", rows);
    for (auto& row : rows)
      row = times(spec_.tied_embeddings ? "token_embd.weight" : "output.weight",
                  norm("output_norm.weight", row));
    return rows;
  }

 private:
  Vector matrix_row(const std::string& name, std::int64_t row) const {
    const auto& tensor = *file_.tensor(name);
    const auto width = tensor.shape.back();
    std::vector<float> values(static_cast<std::size_t>(width));
    model::dequantize_row(tensor.type,
                          tensor.data.data() + row * model::row_bytes(tensor.type, width),
                          values.data(), width);
    return {values.begin(), values.end()};
  }

  Vector times(const std::string& name, const Vector& x) const {
    Vector result;
    for (std::int64_t row = 0; row < file_.tensor(name)->shape[0]; ++row) {
      const auto weights = matrix_row(name, row);
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        sum += weights[i] * x[i];
      result.push_back(sum);
    }
    return result;
  }

  Vector norm(const std::string& name, const Vector& x) const {
    const auto weights = matrix_row(name, 0);
    double squares = 0;
    for (const double value : x)
      squares += value * value;
    Vector result(x);
    for (std::size_t i = 0; i < x.size(); ++i)
      result[i] = x[i] * weights[i] /
                  std::sqrt(squares / static_cast<double>(x.size()) + spec_.rms_norm_eps);
    return result;
  }

  void rotate(Vector& heads, std::size_t position) const {
    const auto& rope = spec_.rope;
    for (std::size_t head = 0; head < heads.size();
         head += static_cast<std::size_t>(spec_.head_dim))
      for (std::size_t i = 0; i < static_cast<std::size_t>(rope.dims) / 2; ++i) {
        double frequency =
            1 / std::pow(rope.theta, 2.0 * static_cast<double>(i) / static_cast<double>(rope.dims));
        frequency /= rope.linear_factor * (rope.divisors.empty() ? 1.0 : rope.divisors[i]);
        const double angle = static_cast<double>(position) * frequency;
        const double a = heads[head + 2 * i], b = heads[head + 2 * i + 1];
        heads[head + 2 * i] = a * std::cos(angle) - b * std::sin(angle);
        heads[head + 2 * i + 1] = a * std::sin(angle) + b * std::cos(angle);
      }
  }

  /// One head's mix of the values that the last position sees.
  void attend(const Vector& query, std::size_t head, const std::vector<Vector>& keys,
              const std::vector<Vector>& values, Vector& out) const {
    const auto size = static_cast<std::size_t>(spec_.head_dim);
    const auto group = static_cast<std::size_t>(spec_.num_attention_heads / spec_.num_kv_heads);
    const auto from = head * size, kv = head / group * size;
    Vector weights;
    double sum = 0;
    // A sliding window hides the tokens before it.
    const auto window = static_cast<std::size_t>(spec_.sliding_window);
    const auto first = window > 0 && keys.size() > window ? keys.size() - window : 0;
    for (auto t = first; t < keys.size(); ++t) {
      const auto& key = keys[t];
      double score = 0;
      for (std::size_t d = 0; d < size; ++d)
        score += query[from + d] * key[kv + d];
      weights.push_back(std::exp(score / std::sqrt(static_cast<double>(size))));
      sum += weights.back();
    }
    for (auto t = first; t < keys.size(); ++t)
      for (std::size_t d = 0; d < size; ++d)
        out[from + d] += weights[t - first] / sum * values[t][kv + d];
  }

  void layer(const std::string& prefix, std::vector<Vector>& rows) const {
    std::vector<Vector> keys, values;
    for (std::size_t position = 0; position < rows.size(); ++position) {
      auto& row = rows[position];
      const auto input = norm(prefix + "attn_norm.weight", row);
      auto query = times(prefix + "attn_q.weight", input);
      auto key = times(prefix + "attn_k.weight", input);
      rotate(query, position);
      rotate(key, position);
      keys.push_back(key);
      values.push_back(times(prefix + "attn_v.weight", input));
      Vector mixed(query.size());
      for (std::size_t head = 0; head < static_cast<std::size_t>(spec_.num_attention_heads); ++head)
        attend(query, head, keys, values, mixed);
      add(row, times(prefix + "attn_output.weight", mixed));
      const auto inner = norm(prefix + "ffn_norm.weight", row);
      auto gate = times(prefix + "ffn_gate.weight", inner);
      const auto up = times(prefix + "ffn_up.weight", inner);
      for (std::size_t i = 0; i < gate.size(); ++i)
        gate[i] *= up[i] / (1 + std::exp(-gate[i]));
      add(row, times(prefix + "ffn_down.weight", gate));
    }
  }

  static void add(Vector& to, const Vector& from) {
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] += from[i];
  }

  const model::ModelFile& file_;
  const model::ModelSpec& spec_;
};

}  // namespace troupe::transformer::testing
