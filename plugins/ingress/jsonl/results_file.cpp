#include "results_file.h"

#include "troupe/core/json.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace troupe::jsonl {
namespace fs = std::filesystem;
namespace {

tl::unexpected<Error> file_error(const std::string& path, const char* what) {
  return fail(ErrorCode::device, path + ": " + what + ": " + std::strerror(errno));
}

/// Copies the good lines of `from` to `to` and notes their names.
Result<std::set<std::string>> keep_good_lines(const std::string& from, const std::string& to) {
  std::set<std::string> done;
  std::ifstream in(from);
  std::ofstream out(to, std::ios::trunc);
  for (std::string line; std::getline(in, line);) {
    const auto value = parse_json(line);
    if (!value || in.eof() || value->find("error")) continue;
    const auto name = name_of(*value);
    if (name.empty())
      return fail(ErrorCode::invalid_argument,
                  from +
                      ": holds a line without an id, so it is no file of results; "
                      "give another output file");
    out << line << '\n';
    done.insert(name);
  }
  if (!out.flush()) return file_error(to, "cannot be written");
  return done;
}

}  // namespace

std::string name_of(const Value& line) {
  for (const std::string_view key : {"custom_id", "id"})
    if (const auto* id = line.find(key); id && id->is_string()) return id->as_string();
  return {};
}

Result<std::unique_ptr<ResultsFile>> ResultsFile::open(const std::string& path) {
  std::set<std::string> done;
  std::error_code error;
  if (fs::exists(path, error) && fs::file_size(path, error) > 0) {
    const std::string kept = path + ".kept";
    auto names = keep_good_lines(path, kept);
    if (!names) {
      fs::remove(kept, error);
      return fail(names.error());
    }
    done = std::move(*names);
    fs::rename(kept, path, error);  // all at once: a crash leaves the old file or the new one
    if (error) return fail(ErrorCode::device, path + ": cannot be replaced: " + error.message());
  }
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (!file) return file_error(path, "cannot be opened for writing");
  return std::unique_ptr<ResultsFile>(new ResultsFile(path, std::move(done), file));
}

Result<void> ResultsFile::write(const Value& result) {
  const std::string line = to_json(result) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() ||
      std::fflush(file_.get()) != 0)
    return file_error(path_, "cannot be written");
  return {};
}

}  // namespace troupe::jsonl
