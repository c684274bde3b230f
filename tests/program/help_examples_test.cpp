// The examples of the help pages are run as they stand there.
#include "program_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace troupe::testing {
namespace {
namespace fs = std::filesystem;

class HelpExamples : public ProgramTest, public ::testing::WithParamInterface<std::string> {
 protected:
  /// The files that the examples name.
  HelpExamples() {
    fs::copy_file(model(), path("model.gguf"));
    fs::copy_file(TROUPE_SOURCE_DIR "/pipelines/serve.toml", path("my.toml"));
    // The file ends in [model.default].
    std::ofstream(path("my.toml"), std::ios::app) << "path = \"model.gguf\"\n";
    write_file("laptop.toml", "[operators.scheduler.params]\nprefill_chunk = 64\n");
    for (const auto* name : {"story.txt", "questions.txt", "text.txt"})
      write_file(name, "the cat\n");
    const std::string messages = R"("messages": [{"role": "user", "content": "Hi"}])";
    write_file("request.json", "{" + messages + "}");
    write_file("requests.jsonl", "{\"id\": \"1\", \"max_tokens\": 3, " + messages + "}\n");
    fs::create_directories(path(".local/share/bash-completion/completions"));
  }

  static std::vector<std::string> examples_of(const std::string& page) {
    const auto help =
        run_troupe(page.find(' ') == page.npos
                       ? std::vector<std::string>{page, "--help"}
                       : std::vector<std::string>{page.substr(0, page.find(' ')),
                                                  page.substr(page.find(' ') + 1), "--help"});
    std::vector<std::string> found;
    std::istringstream lines(
        help.out.substr(std::min(help.out.find("Examples:"), help.out.size())));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("  troupe ") || line.starts_with("  source ")) found.push_back(line);
    return found;
  }

  /// The exit code of the line in the folder of files; what it prints goes to `log`.
  int run_line(std::string line) const {
    line = line.substr(0, line.find(" | "));  // what draws graphs may not be there
    std::string script =
        "cd " + path("") + "; export HOME=$PWD PATH=" TROUPE_BINARY_DIR "/bin:$PATH\n";
    if (line.starts_with("  troupe serve"))
      script += "export TROUPE_SET=zmq.bind=ipc://" + path("door.ipc") +
                "\ntimeout --preserve-status -s TERM 2 ";
    const auto file = write_file("line.sh", script + line + "\n");
    return WEXITSTATUS(std::system(("bash " + file + " > " + path("log") + " 2>&1").c_str()));
  }

  std::string log() const {
    std::ifstream file(path("log"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_P(HelpExamples, DoWhatTheySay) {
  const auto lines = examples_of(GetParam());
  EXPECT_FALSE(lines.empty());
  for (const auto& line : lines)
    EXPECT_EQ(run_line(line), 0) << line << "\n" << log();
}

// Without those of `bench` and `detokenize`: their ids are not in the vocabulary of a tiny model.
INSTANTIATE_TEST_SUITE_P(Pages, HelpExamples,
                         ::testing::Values("run", "chat", "serve", "batch", "tokenize", "render",
                                           "score", "model info", "model tiny", "check", "graph",
                                           "explain", "inspect", "completion", "version"),
                         [](const auto& page) {
                           auto name = page.param;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace troupe::testing
