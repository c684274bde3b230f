#pragma once
#include "troupe/api/sampling.h"
#include "troupe/core/field_reader.h"

namespace troupe {

/// Reads the fields of a request that say how a token is drawn, under their names in OpenAI's API,
/// vLLM and llama.cpp. Of two names for one field a request may have one. Values are checked as far
/// as JSON is concerned; validate (sampling_limits.h) checks the rest.
void read_sampling(FieldReader& reader, SamplingParams& sampling);

/// The same for the fields that say when generation ends.
void read_stop(FieldReader& reader, StopParams& stop);

}  // namespace troupe
