#include "troupe/plugin/registry.h"

#include "troupe/core/nearest_name.h"
#include "troupe/plugin/identity.h"
#include "troupe/plugin/time_limit.h"

#include <boost/dll/shared_library.hpp>

#include <algorithm>
#include <set>

namespace troupe {
namespace fs = std::filesystem;
namespace {

constexpr const char* kDescriptorSymbol = "troupe_plugin";

std::string title(OperatorKind kind, std::string_view name) {
  return std::string(to_string(kind)) + " plugin '" + std::string(name) + "'";
}

bool is_plugin_name(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

bool derives_from_kind(Operator* object, OperatorKind kind) {
  switch (kind) {
    case OperatorKind::ingress:
      return dynamic_cast<Ingress*>(object) != nullptr;
    case OperatorKind::stage:
      return dynamic_cast<Stage*>(object) != nullptr;
    case OperatorKind::tokenizer:
      return dynamic_cast<Tokenizer*>(object) != nullptr;
    case OperatorKind::scheduler:
      return dynamic_cast<Scheduler*>(object) != nullptr;
    case OperatorKind::kv_cache:
      return dynamic_cast<KvCache*>(object) != nullptr;
    case OperatorKind::executor:
      return dynamic_cast<Executor*>(object) != nullptr;
    case OperatorKind::sampler:
      return dynamic_cast<Sampler*>(object) != nullptr;
    case OperatorKind::drafter:
      return dynamic_cast<Drafter*>(object) != nullptr;
    case OperatorKind::router:
      return dynamic_cast<Router*>(object) != nullptr;
    case OperatorKind::communicator:
      return false;
  }
  return false;
}

}  // namespace

struct Registry::Library {
  boost::dll::shared_library handle;
  const OperatorSpec* spec = nullptr;
};

Registry::Registry(Options options) : options_(std::move(options)) {}

std::vector<std::string> Registry::names(OperatorKind kind) const {
  std::set<std::string> names;
  for (const auto& folder : options_.folders) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder / to_string(kind), error))
      if (entry.path().extension() == ".so" && is_plugin_name(entry.path().stem().string()))
        names.insert(entry.path().stem().string());
  }
  return {names.begin(), names.end()};
}

Result<Registry::Found> Registry::locate(OperatorKind kind, std::string_view name) const {
  const auto file_name = std::string(name) + ".so";
  for (const auto& folder : options_.folders) {
    const auto file = folder / to_string(kind) / file_name;
    std::error_code error;
    if (!is_plugin_name(name) || !fs::is_regular_file(file, error)) continue;
    auto identity = read_identity(file);
    if (!identity) return fail(identity.error());
    if (auto fits = check_identity(*identity); !fits) return fail_at(file.string(), fits.error());
    if (identity->kind != to_string(kind) || identity->name != name)
      return fail(ErrorCode::incompatible,
                  file.string() + ": the library says it is the " + std::string(identity->kind) +
                      " plugin '" + identity->name + "'; expected the " + title(kind, name) +
                      ", as its folder and file are called");
    return Found{file, *identity};
  }
  std::string where;
  for (const auto& folder : options_.folders)
    where += (where.empty() ? "" : ", ") + folder.string();
  return fail(ErrorCode::not_found, "there is no " + title(kind, name) +
                                        suggest(name, names(kind)) + " (looked in " +
                                        (where.empty() ? "no folder" : where) + ")");
}

Result<std::shared_ptr<const Registry::Library>> Registry::load(OperatorKind kind,
                                                                std::string_view name) const {
  const std::lock_guard guard(mutex_);
  const auto key = std::make_pair(kind, std::string(name));
  if (const auto it = loaded_.find(key); it != loaded_.end()) return it->second;
  auto found = locate(kind, name);
  if (!found) return fail(found.error());

  auto library = std::make_shared<Library>();
  try {
    // A path with a slash, so that the loader never searches elsewhere; symbols stay private to the
    // library. Only the exception tells what the system's loader says.
    library->handle.load(fs::absolute(found->file).string(), boost::dll::load_mode::rtld_now);
  } catch (const std::exception& error) {
    return fail(ErrorCode::incompatible,
                found->file.string() + ": cannot be loaded: " + error.what());
  }
  if (!library->handle.has(kDescriptorSymbol))
    return fail(ErrorCode::incompatible, found->file.string() + ": the library has no symbol '" +
                                             kDescriptorSymbol +
                                             "'; expected one use of TROUPE_PLUGIN");
  const auto& descriptor = library->handle.get<const PluginDescriptor>(kDescriptorSymbol);
  library->spec = descriptor.spec;
  if (!library->spec || library->spec->kind != kind || library->spec->name != name ||
      !library->spec->create)
    return fail(
        ErrorCode::incompatible,
        found->file.string() + ": its descriptor does not describe the " + title(kind, name));
  loaded_.emplace(key, library);
  return library;
}

Result<const OperatorSpec*> Registry::find(OperatorKind kind, std::string_view name) const {
  return load(kind, name).map([](const auto& library) { return library->spec; });
}

Result<std::shared_ptr<Operator>> Registry::create(OperatorKind kind, std::string_view name) const {
  auto library = load(kind, name);
  if (!library) return fail(library.error());
  auto object =
      call_within(options_.create_limit, [library = *library]() -> std::shared_ptr<Operator> {
        // The deleter holds the library, so that it stays loaded until the object is gone.
        return {library->spec->create(), [library](Operator* raw) { delete raw; }};
      });
  if (!object) return fail_at("factory of " + title(kind, name), object.error());
  if (!*object)
    return fail(ErrorCode::internal, "factory of " + title(kind, name) + ": it returned nothing");
  if (!derives_from_kind(object->get(), kind))
    return fail(ErrorCode::internal, "factory of " + title(kind, name) + ": its object is no " +
                                         std::string(to_string(kind)) + " operator");
  return object;
}

}  // namespace troupe
