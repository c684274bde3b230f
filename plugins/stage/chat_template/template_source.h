#pragma once
#include "troupe/api/operator.h"
#include "troupe/model/chat_template.h"

#include <optional>
#include <string>

namespace troupe::chat_template {

/// Where a pipeline says that its chat template comes from.
struct TemplateSource {
  std::string model;      // the [model.NAME] table
  std::string name;       // of a named template in the model file; empty: the default one
  std::string text;       // not empty: this template in place of the file's
  std::string text_file;  // not empty: the template in this file in place of the model's
};

/// What the stage renders with.
struct LoadedTemplates {
  std::optional<model::ChatTemplate> chat;
  /// For requests with tools, when the model file has one of its own for them.
  std::optional<model::ChatTemplate> tool_use;
  /// Why there is no template to render with.
  std::string missing;
};

/// Loads the templates. A model without one is no error: requests that need none still pass.
/// Errors: those of Resources::model; not_found for a named template or a template file that is not
/// there; invalid_argument for a template that does not parse.
Result<LoadedTemplates> load_templates(const TemplateSource& source, Resources& resources);

}  // namespace troupe::chat_template
