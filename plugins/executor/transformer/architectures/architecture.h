#pragma once
#include "troupe/api/result.h"
#include "troupe/model/model_file.h"
#include "troupe/model/transformer_spec.h"

#include <span>
#include <string_view>

namespace troupe::transformer {

/// A model family: how its keys and tensors in a file become a TransformerSpec.
/// A new family is one file, architectures/NAME.cpp, that defines `architecture_NAME`.
struct Architecture {
  std::string_view name;  // general.architecture of the file
  Result<model::TransformerSpec> (*read)(const model::ModelFile& file);
};

/// Every family of this build, in alphabetical order.
std::span<const Architecture* const> architectures();

/// Reads the spec of a file of any known family and compares the file's tensors with it.
/// Errors: unsupported (an unknown family; the message lists those known), and those of reading.
Result<model::TransformerSpec> read_transformer_spec(const model::ModelFile& file);

}  // namespace troupe::transformer
