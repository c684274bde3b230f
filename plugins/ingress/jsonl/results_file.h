#pragma once
#include "earlier_results.h"
#include "file_descriptor.h"

#include <memory>
#include <set>
#include <string>

namespace troupe::jsonl {

/// The file of results: one JSON object a line, each written whole. Opening one that an earlier run
/// left keeps its good lines; lines with an error, and a last line that was cut off, are taken out,
/// so that their requests are made again. A file that holds anything else is refused and left as it
/// is. What is no regular file (a device, a pipe) is only ever written to. One thread.
class ResultsFile {
 public:
  /// `input` is the file of requests, which must be another one. Errors: invalid_argument,
  /// resource_exhausted (another run has it), device.
  static Result<std::unique_ptr<ResultsFile>> open(const std::string& path,
                                                   const std::string& input);

  /// Ids of the requests whose results were there already.
  const std::set<std::string>& done() const { return done_; }

  /// Adds a line to what flush hands over.
  void append(const Value& result);

  /// Hands lines to the system; false when a pipe's reader has to read first. Errors: device (disk
  /// full, ...).
  Result<bool> flush();

  /// Whether flush has something to hand over.
  bool pending() const { return written_ < pending_.size(); }

  /// For poll, after flush gave false.
  int descriptor() const { return file_.get(); }

 private:
  ResultsFile(std::string path, FileDescriptor file, std::set<std::string> done)
      : path_(std::move(path)), file_(std::move(file)), done_(std::move(done)) {}
  static Result<std::unique_ptr<ResultsFile>> open_stream(const std::string& path);
  static Result<std::unique_ptr<ResultsFile>> open_regular(const std::string& path);

  const std::string path_;
  FileDescriptor file_;  // holds the lock of a regular file
  const std::set<std::string> done_;
  std::string pending_;
  std::size_t written_ = 0;  // bytes of pending_
};

}  // namespace troupe::jsonl
