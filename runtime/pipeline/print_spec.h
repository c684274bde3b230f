#pragma once
#include "troupe/api/value.h"
#include "troupe/pipeline/pipeline_spec.h"

#include <string>

namespace troupe::pipeline {

/// The pipeline as resolved TOML: every key with its value, every wire with its ports. It reads
/// back as the same pipeline.
std::string print_toml(const PipelineSpec& spec);

/// The pipeline as a value for JSON: name, description, source, operators, wires, models, loops.
Value print_value(const PipelineSpec& spec);

/// The graph for Graphviz.
std::string print_dot(const PipelineSpec& spec);

/// The graph for Mermaid, which GitHub and many editors draw.
std::string print_mermaid(const PipelineSpec& spec);

/// The graph as a picture, drawn without help: SVG 1.1, self-contained.
std::string print_svg(const PipelineSpec& spec);

/// Whether a message belongs to a scheduler's token loop rather than to the way of requests and
/// answers.
bool is_loop_message(MessageType message);

}  // namespace troupe::pipeline
