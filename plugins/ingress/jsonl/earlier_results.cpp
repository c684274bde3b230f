#include "earlier_results.h"

#include "line_reader.h"
#include "troupe/core/json.h"

#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace troupe::jsonl {
namespace {

constexpr std::size_t kMaxResultBytes = std::size_t{256} << 20;

/// Whether the text can be the beginning of a line that ResultsFile was writing.
bool is_beginning_of_result(std::string_view text) {
  for (const std::string_view start : {R"({"id":")", R"({"custom_id":")"})
    if (text.starts_with(start) || start.starts_with(text)) return true;
  return false;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Takes note of a line; otherwise what is wrong with it.
std::string_view note(const LineReader::Line& line, EarlierResults& earlier) {
  if (line.too_long) return "is longer than any result";
  const auto value = parse_json(line.text);
  const bool torn = !value && !line.whole && is_beginning_of_result(line.text);
  if (torn || is_blank(line.text)) {
    earlier.dropped.insert(line.number);
    return {};
  }
  if (!value) return "is no JSON";
  auto name = name_of(*value);
  if (name.empty()) return "has no id";
  if (value->find("error"))
    earlier.dropped.insert(line.number);
  else if (value->find("text") || value->find("choices"))
    earlier.done.insert(std::move(name));
  else
    return "has none of text, choices and error";
  return {};
}

/// Calls `use` with every line of the file until it fails.
template <class Use>
Result<void> for_each_line(const FileDescriptor& file, const std::string& path, Use use) {
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return file_error(path, "cannot be read");
  LineReader reader(file.get(), kMaxResultBytes);
  for (;;) {
    while (const auto line = reader.take())
      if (Result<void> used = use(*line); !used) return used;
    if (reader.ended()) return {};
    if (auto filled = reader.fill(); !filled) return fail_at(path, filled.error());
  }
}

/// Gives the copy what the old file had, and locks it before anybody can find it.
Result<void> make_alike(const FileDescriptor& old, const FileDescriptor& copy,
                        const std::string& path) {
  struct stat status {};
  if (::fstat(old.get(), &status) != 0) return file_error(path, "cannot be read");
  if ((status.st_uid != ::geteuid() || status.st_gid != ::getegid()) &&
      ::fchown(copy.get(), status.st_uid, status.st_gid) != 0)
    return file_error(path, "belongs to another user, and a copy cannot be given to them");
  if (::fchmod(copy.get(), status.st_mode & 07777) != 0 ||
      ::flock(copy.get(), LOCK_EX | LOCK_NB) != 0 || ::fsync(copy.get()) != 0)
    return file_error(path, "cannot be copied");
  return {};
}

}  // namespace

std::string name_of(const Value& line) {
  for (const std::string_view key : {"custom_id", "id"})
    if (const auto* id = line.find(key); id && id->is_string()) return id->as_string();
  return {};
}

Result<void> write_all(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const auto count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno != EINTR) return file_error(path, "cannot be written");
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<EarlierResults> read_earlier_results(const FileDescriptor& file, const std::string& path) {
  EarlierResults earlier;
  auto read = for_each_line(file, path, [&](const LineReader::Line& line) -> Result<void> {
    earlier.unfinished = !line.whole;
    const auto wrong = note(line, earlier);
    if (wrong.empty()) return {};
    return fail(ErrorCode::invalid_argument,
                path + ": line " + std::to_string(line.number) + " " + std::string(wrong) +
                    ", so this is no file of results; it was left as it is: give another output "
                    "file");
  });
  if (!read) return fail(read.error());
  return earlier;
}

Result<FileDescriptor> drop_lines(const FileDescriptor& file, const std::string& path,
                                  const EarlierResults& earlier) {
  std::string beside = path + ".XXXXXX";
  FileDescriptor copy(::mkostemp(beside.data(), O_CLOEXEC | O_APPEND));
  if (!copy) return file_error(beside, "cannot be made");
  auto done = for_each_line(file, path, [&](const LineReader::Line& line) -> Result<void> {
    if (earlier.dropped.contains(line.number)) return {};
    return write_all(copy.get(), line.text + "\n", beside);
  });
  if (done) done = make_alike(file, copy, path);
  if (done && ::rename(beside.c_str(), path.c_str()) != 0)
    done = file_error(path, "cannot be replaced");
  if (done) return copy;
  ::unlink(beside.c_str());
  return fail(done.error());
}

}  // namespace troupe::jsonl
