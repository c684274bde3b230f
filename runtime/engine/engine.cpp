#include "troupe/engine/engine.h"

#include <future>

namespace troupe {

Engine::Engine(std::unique_ptr<actors::PipelineRuntime> runtime) : runtime_(std::move(runtime)) {
  if (auto door = runtime_->embed_door()) door_ = *door;
}

Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::open(const pipeline::PipelineSpec& spec,
                                             const Catalog& catalog, Options options) {
  auto runtime = actors::PipelineRuntime::start(spec, catalog, std::move(options));
  if (!runtime) return fail(runtime.error());
  return std::unique_ptr<Engine>(new Engine(std::move(*runtime)));
}

Result<RequestId> Engine::submit(Request request, OnEvent on_event) {
  if (!door_)
    return fail(ErrorCode::not_found,
                "the pipeline has no door for the hosting program; add an ingress operator with "
                "plugin = \"embed\"");
  return door_->submit(std::move(request), std::move(on_event));
}

void Engine::cancel(RequestId request) {
  if (door_) door_->cancel(request);
}

Result<Answer> Engine::generate(Request request) {
  auto answer = std::make_shared<Answer>();
  auto ended = std::make_shared<std::promise<void>>();
  auto future = ended->get_future();
  auto id = submit(std::move(request), [answer, ended](const TokenEvent& event) {
    answer->add(event);
    if (event.last) ended->set_value();
  });
  if (!id) return fail(id.error());
  future.wait();
  return std::move(*answer);
}

}  // namespace troupe
