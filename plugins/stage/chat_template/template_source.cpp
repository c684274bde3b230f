#include "template_source.h"

#include <fstream>
#include <sstream>

namespace troupe::chat_template {
namespace {

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!(text << file.rdbuf()))
    return fail(ErrorCode::not_found, "cannot read the chat template file " + path);
  return text.str();
}

Result<model::ChatTemplate> parse(const std::string& text, const std::string& place,
                                  const model::ModelFile& file) {
  auto tokens = model::special_tokens_of(file);
  if (!tokens) return fail_at(file.path().string(), tokens.error());
  auto parsed = model::ChatTemplate::parse(text, std::move(*tokens));
  if (!parsed) return fail_at(place, parsed.error());
  return parsed;
}

Result<LoadedTemplates> load_from_model(const TemplateSource& source,
                                        const model::ModelFile& file) {
  LoadedTemplates loaded;
  auto chat = model::chat_template_of(file, source.name);
  if (chat) {
    loaded.chat = std::move(*chat);
  } else if (chat.error().code() != ErrorCode::not_found || !source.name.empty()) {
    return fail(chat.error());
  } else {
    loaded.missing = chat.error().message();
  }
  if (!source.name.empty()) return loaded;
  auto tool_use = model::chat_template_of(file, "tool_use");
  if (tool_use) {
    loaded.tool_use = std::move(*tool_use);
  } else if (tool_use.error().code() != ErrorCode::not_found) {
    return fail(tool_use.error());
  }
  return loaded;
}

}  // namespace

Result<LoadedTemplates> load_templates(const TemplateSource& source, Resources& resources) {
  const auto file = resources.model(source.model);
  if (!file) return fail(file.error());
  if (source.text.empty() && source.text_file.empty()) return load_from_model(source, **file);
  std::string text = source.text;
  if (text.empty()) {
    auto read = read_text(source.text_file);
    if (!read) return fail(read.error());
    text = std::move(*read);
  }
  auto parsed = parse(text, source.text.empty() ? source.text_file : "template", **file);
  if (!parsed) return fail(parsed.error());
  return LoadedTemplates{std::move(*parsed), std::nullopt, {}};
}

}  // namespace troupe::chat_template
