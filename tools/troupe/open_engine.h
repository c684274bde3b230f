#pragma once
#include "command.h"
#include "signal_watch.h"
#include "troupe/engine/engine.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::program {

/// Starts a pipeline, with a line of progress on a terminal. The plugins of `loaded` must outlive
/// the engine. Errors: those of the operators; not_found (a model file that is not there), with
/// what to try.
Result<std::unique_ptr<Engine>> open_engine(const LoadedPipeline& loaded,
                                            Engine::Options options = {});

/// The option that gives the file of [model.NAME]: "--model FILE".
std::string path_option(const std::string& model_name);

/// Whether there is a model file at `path`. `how` names the option that gives it.
/// Errors: not_found, invalid_argument (a folder), with what to try.
Result<void> check_model_file(const std::string& path, const std::string& how);

/// Whether the model files that the pipeline names are there. Errors: not_found, with what to try.
Result<void> check_model_files(const pipeline::PipelineSpec& spec);

/// Runs a request to its end and hands its text to `on_text` in the calling thread as it comes. A
/// signal takes the request back, and so does an `on_text` that returns false (nobody reads it any
/// more); a second signal ends the program.
/// Errors: those of Engine::submit; an error of the request itself is in the answer.
Result<Answer> stream_answer(Engine& engine, Request request, SignalWatch& signals,
                             const std::function<bool(std::string_view)>& on_text);

}  // namespace troupe::program
