#include "line_editor.h"

#include "terminal.h"

#include <histedit.h>

#include <clocale>
#include <cstdio>
#include <iostream>

namespace troupe::program {
namespace {

class PlainLines final : public LineEditor {
 public:
  std::optional<std::string> next() override {
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }
};

/// libedit's editor. Its callbacks find this object through EL_CLIENTDATA.
class EditedLines final : public LineEditor {
 public:
  explicit EditedLines(const std::string& prompt) : prompt_(prompt) {
    // libedit reads bytes as characters of the locale; without one of UTF-8 it breaks them up.
    const char* locale = std::setlocale(LC_CTYPE, "");
    if (!locale || std::string_view(locale).find("UTF-8") == std::string_view::npos)
      std::setlocale(LC_CTYPE, "C.UTF-8");
    history_ = history_init();
    HistEvent event;
    history(history_, &event, H_SETSIZE, 500);
    history(history_, &event, H_SETUNIQUE, 1);
    editor_ = el_init("troupe", stdin, stdout, stderr);
    el_set(editor_, EL_CLIENTDATA, this);
    el_set(editor_, EL_PROMPT, &show_prompt);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_HIST, history, history_);
    el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    // Ctrl-C as a key like others, so that it ends the line and not the program.
    el_set(editor_, EL_ADDFN, "give-up-line", "Gives up the line", &give_up);
    el_set(editor_, EL_BIND, "^C", "give-up-line", nullptr);
    el_set(editor_, EL_SETTY, "-d", "-isig", nullptr);
  }

  ~EditedLines() override {
    el_end(editor_);
    history_end(history_);
  }

  std::optional<std::string> next() override {
    given_up_ = false;
    // Before the prompt is shown: libedit itself does it after, and a Ctrl-C in between ended the
    // program.
    el_set(editor_, EL_PREP_TERM, 1);
    int count = 0;
    const char* text = el_gets(editor_, &count);
    if (given_up_) {
      std::printf("^C\n");
      return std::string();
    }
    if (!text || count <= 0) return std::nullopt;
    std::string line(text, static_cast<std::size_t>(count));
    while (line.ends_with('\n') || line.ends_with('\r'))
      line.pop_back();
    if (!line.empty()) {
      HistEvent event;
      history(history_, &event, H_ENTER, line.c_str());
    }
    return line;
  }

 private:
  static EditedLines* self(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return static_cast<EditedLines*>(data);
  }
  static const char* show_prompt(EditLine* editor) { return self(editor)->prompt_.c_str(); }
  static unsigned char give_up(EditLine* editor, int) {
    self(editor)->given_up_ = true;
    return CC_EOF;
  }

  std::string prompt_;
  EditLine* editor_ = nullptr;
  History* history_ = nullptr;
  bool given_up_ = false;
};

}  // namespace

std::unique_ptr<LineEditor> LineEditor::open(const std::string& prompt) {
  if (input_is_terminal() && output_is_terminal()) return std::make_unique<EditedLines>(prompt);
  return std::make_unique<PlainLines>();
}

}  // namespace troupe::program
