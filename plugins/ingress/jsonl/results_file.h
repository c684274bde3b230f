#pragma once
#include "troupe/api/result.h"
#include "troupe/api/value.h"

#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace troupe::jsonl {

/// The file of results: one JSON object a line, each written whole. Opening one that an earlier run
/// left keeps its good lines; lines with an error, and a last line that was cut off, are taken out,
/// so that their requests are made again.
class ResultsFile {
 public:
  static Result<std::unique_ptr<ResultsFile>> open(const std::string& path);

  /// Ids of the requests whose results were there already.
  const std::set<std::string>& done() const { return done_; }

  /// Appends a line and hands it to the system. Errors: device (disk full, ...).
  Result<void> write(const Value& result);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  ResultsFile(std::string path, std::set<std::string> done, std::FILE* file)
      : path_(std::move(path)), done_(std::move(done)), file_(file) {}

  std::string path_;
  std::set<std::string> done_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// The name a result or request line goes by: its `id` or `custom_id`; empty without one.
std::string name_of(const Value& line);

}  // namespace troupe::jsonl
