#pragma once
#include "kernels/matmul/packed_matrix.h"
#include "troupe/model/model_file.h"

namespace troupe::transformer {

/// The format in which the kernels keep weights of a file's type. None loses anything: float16,
/// which has no kernel of its own, becomes float32.
kernels::WeightFormat weight_format(model::WeightType type);

/// Reads a matrix tensor for packing. The tensor must outlive the source.
/// Pre: the tensor has two dimensions.
kernels::WeightSource weight_source(const model::TensorInfo& tensor);

}  // namespace troupe::transformer
