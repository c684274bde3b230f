#include "runtime_fixture.h"

#include <chrono>
#include <thread>

namespace troupe::testing {

std::string RuntimeTest::plain_pipeline(const std::string& more) {
  return R"(
[pipeline]
name = "plain"
api = 1
flow = [
  "client -> guard -> tokenizer -> scheduler",
  "scheduler <-> kv",
  "scheduler -> executor -> sampler -> scheduler",
  "scheduler -> tokenizer -> guard -> client",
]
[operators.client]
kind = "ingress"
plugin = "embed"
[operators.guard]
kind = "stage"
plugin = "scripted"
[operators.tokenizer]
kind = "tokenizer"
plugin = "letters"
[operators.scheduler]
kind = "scheduler"
plugin = "continuous"
[operators.kv]
kind = "kv_cache"
plugin = "paged"
[operators.executor]
kind = "executor"
plugin = "fake"
[operators.sampler]
kind = "sampler"
plugin = "scripted"
)" + more;
}

std::unique_ptr<Engine> RuntimeTest::open(const std::string& toml, Engine::Options options) {
  auto spec = pipeline::load_pipeline(pipeline::PipelineSource{toml, "test.toml"}, {}, catalog_);
  if (!spec) {
    ADD_FAILURE() << spec.error().message();
    return nullptr;
  }
  auto engine = Engine::open(*spec, catalog_, std::move(options));
  if (!engine) {
    ADD_FAILURE() << engine.error().message();
    return nullptr;
  }
  return std::move(*engine);
}

std::int64_t RuntimeTest::stat(Engine& engine, std::string_view name, std::string_view figure) {
  const auto stats = engine.stats();
  for (const auto& one : stats.as_array())
    if (one.find("operator")->as_string() == name && one.find(figure))
      return one.find(figure)->as_int();
  ADD_FAILURE() << name << " has no " << figure;
  return -1;
}

Request RuntimeTest::request(std::string text, std::int64_t max_tokens) {
  Request request;
  request.kind = RequestKind::completion;
  request.prompt = {{std::move(text), false}};
  request.sampling.temperature = 0;
  request.stop.max_tokens = max_tokens;
  return request;
}

Answer RuntimeTest::run(Engine& engine, Request request) {
  auto answer = engine.generate(std::move(request));
  if (!answer) {
    Answer failed;
    failed.error = answer.error();
    return failed;
  }
  return *answer;
}

bool RuntimeTest::becomes_idle(const Engine& engine) {
  using namespace std::chrono_literals;
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (engine.in_flight() > 0) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

}  // namespace troupe::testing
