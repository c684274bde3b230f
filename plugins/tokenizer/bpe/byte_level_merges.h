#pragma once
#include "merge_table.h"
#include "piece_index.h"
#include "troupe/api/result.h"
#include "troupe/model/model_file.h"
#include "troupe/model/vocabulary.h"

namespace troupe::bpe {

/// The tokens of a byte-level vocabulary that merging can make, by their bytes: all that are
/// written in the byte alphabet, without control tokens.
Result<PieceIndex> index_pieces(const model::ModelFile& file, const model::Vocabulary& vocabulary);

/// Reads `tokenizer.ggml.merges`, ranked in their order. A merge of which a part or the result is a
/// control token is left out: a user's text must never become one.
/// Errors: not_found (the key), invalid_argument (not two parts; a part or result that is no
/// token).
Result<MergeTable> read_merges(const model::ModelFile& file, const model::Vocabulary& vocabulary,
                               const PieceIndex& pieces);

}  // namespace troupe::bpe
