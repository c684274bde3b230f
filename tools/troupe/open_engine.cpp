#include "open_engine.h"

#include "terminal.h"

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>

namespace troupe::program {
namespace fs = std::filesystem;
namespace {

/// The model files that tools/quickstart left behind, as arguments. `how`: "--model FILE".
std::string models_at_hand(const std::string& how) {
  const char* cache = std::getenv("TROUPE_CACHE");
  const char* home = std::getenv("HOME");
  const fs::path folder = cache  ? fs::path(cache) / "models"
                          : home ? fs::path(home) / ".cache/troupe/models"
                                 : fs::path();
  std::string text;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".gguf")
      text += "\n  " + how.substr(0, how.rfind("FILE")) + entry.path().string();
  return text.empty() ? "\ntools/quickstart downloads a small one" : "\nthere is:" + text;
}

}  // namespace

std::string path_option(const std::string& model_name) {
  return model_name == "default" ? "--model FILE" : "--set model." + model_name + ".path=FILE";
}

Result<void> check_model_file(const std::string& path, const std::string& how) {
  std::error_code error;
  if (!fs::exists(path, error))
    return fail(ErrorCode::not_found, path + ": found no such model file; give another with " +
                                          how + models_at_hand(how));
  if (fs::is_directory(path, error))
    return fail(ErrorCode::invalid_argument,
                path + ": found a folder; expected a model file (GGUF)" + models_at_hand(how));
  return {};
}

Result<void> check_model_files(const pipeline::PipelineSpec& spec) {
  for (const auto& model : spec.models) {
    const auto& path = model.params.get_text("path");
    const auto how = path_option(model.name);
    if (path.empty())
      return fail(ErrorCode::not_found, "found no model file for [model." + model.name +
                                            "]; give one (GGUF) with " + how + models_at_hand(how));
    if (auto file = check_model_file(path, how); !file) return file;
  }
  return {};
}

Result<std::unique_ptr<Engine>> open_engine(const LoadedPipeline& loaded, Engine::Options options) {
  if (auto files = check_model_files(loaded.spec); !files) return fail(files.error());
  ProgressLine progress("loading");
  options.on_starting = [&progress](const std::string& name) {
    progress.set_text("loading: starting " + name);
  };
  return Engine::open(loaded.spec, *loaded.registry, std::move(options));
}

namespace {

/// Text and end of a request, on their way from the runtime's threads to the one that waits.
struct Inbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::string text;
  Answer answer;
  bool ended = false;

  void take(const TokenEvent& event) {
    const std::lock_guard guard(mutex);
    text += event.text;
    answer.add(event);
    ended = event.last;
    changed.notify_one();
  }
};

}  // namespace

Result<Answer> stream_answer(Engine& engine, Request request, SignalWatch& signals,
                             const std::function<bool(std::string_view)>& on_text) {
  auto inbox = std::make_shared<Inbox>();
  auto id =
      engine.submit(std::move(request), [inbox](const TokenEvent& event) { inbox->take(event); });
  if (!id) return fail(id.error());
  signals.set_action([&engine, id = *id](int count) {
    if (count > 1) end_at_once(kRunFailed);
    engine.cancel(id);
  });
  bool wanted = true;
  for (bool ended = false; !ended;) {
    std::string text;
    {
      std::unique_lock lock(inbox->mutex);
      inbox->changed.wait(lock, [&] { return inbox->ended || !inbox->text.empty(); });
      text.swap(inbox->text);
      ended = inbox->ended;
    }
    if (!text.empty() && wanted && !on_text(text)) {
      wanted = false;
      engine.cancel(*id);
    }
  }
  signals.set_action({});
  return std::move(inbox->answer);
}

}  // namespace troupe::program
