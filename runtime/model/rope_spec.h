#pragma once
#include "troupe/api/result.h"
#include "troupe/model/key_reader.h"
#include "troupe/model/model_file.h"
#include "troupe/model/model_spec.h"

namespace troupe::model {

/// Reads the rotary embedding of a model whose heads have `head_dim` elements.
/// Scaling: none, linear (its factor is then compulsory), or per-pair divisors from the tensor
/// rope_freqs.weight. Errors: unsupported for YaRN and every kind not named here; invalid_argument,
/// not_found as read_model_spec.
Result<RopeSpec> read_rope_spec(const ModelFile& file, KeyReader& keys, std::int64_t head_dim);

}  // namespace troupe::model
