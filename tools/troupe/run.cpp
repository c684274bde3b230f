#include "command.h"
#include "request_options.h"
#include "troupe/core/json.h"
#include "troupe/engine/engine.h"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <mutex>
#include <unistd.h>

namespace troupe::program {
namespace {

struct RunOptions {
  PipelineOptions pipeline;
  RequestOptions request;
  std::string prompt;
  bool prompt_given = false;
  bool raw = false;
  bool json = false;
  std::int64_t threads = -1;
  std::int64_t context = -1;
};

volatile std::sig_atomic_t interrupted = 0;

Request make_request(const RunOptions& options, std::string prompt) {
  Request request;
  options.request.apply(request);
  request.stream = !options.json;
  if (options.raw) {
    request.kind = RequestKind::completion;
    // Whoever types a raw prompt writes the control tokens too.
    request.prompt = {{std::move(prompt), true}};
  } else {
    request.kind = RequestKind::chat;
    Value message;
    message.set("role", "user");
    message.set("content", std::move(prompt));
    request.messages.push_back(std::move(message));
  }
  return request;
}

Result<Answer> stream(Engine& engine, Request request, bool print) {
  std::mutex mutex;
  std::condition_variable changed;
  Answer answer;
  bool ended = false;
  auto id = engine.submit(std::move(request), [&](const TokenEvent& event) {
    if (print && !event.text.empty()) {
      std::fwrite(event.text.data(), 1, event.text.size(), stdout);
      std::fflush(stdout);
    }
    const std::lock_guard guard(mutex);
    answer.add(event);
    ended = event.last;
    changed.notify_one();
  });
  if (!id) return fail(id.error());
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return ended; }))
    if (interrupted) {
      lock.unlock();
      engine.cancel(*id);
      lock.lock();
    }
  return answer;
}

Outcome run(const RunOptions& options) {
  const auto registry = options.pipeline.registry();
  auto spec = options.pipeline.load(*registry);
  if (!spec) return fail(spec.error());
  std::string prompt = options.prompt;
  if (!options.prompt_given) prompt.assign(std::istreambuf_iterator<char>(std::cin), {});
  auto engine = Engine::open(*spec, *registry);
  if (!engine) return fail(engine.error());
  std::signal(SIGINT, [](int) { interrupted = 1; });
  auto answer = stream(**engine, make_request(options, std::move(prompt)), !options.json);
  static_cast<void>((*engine)->close(std::chrono::milliseconds(0)));
  if (!answer) return fail(answer.error());
  if (options.json)
    std::printf("%s\n", to_json(to_value(*answer)).c_str());
  else
    std::printf("\n");
  if (answer->error && !options.json) return fail(*answer->error);
  return answer->error ? exit_code_of(*answer->error) : kDone;
}

}  // namespace

Command add_run(CLI::App& program) {
  auto options = std::make_shared<RunOptions>();
  auto* app = program.add_subcommand("run", "answer one request and end");
  options->pipeline.add_to(*app, "chat.toml");
  app->add_option("--prompt", options->prompt, "the prompt; without it, standard input to its end")
      ->each([options](const std::string&) { options->prompt_given = true; });
  options->request.add_to(*app);
  app->add_flag("--raw", options->raw,
                "give the prompt to the model as it is, without the chat template");
  app->add_flag("--json", options->json, "print one JSON object instead of the text");
  return {app, [options] { return run(*options); }};
}

}  // namespace troupe::program
