#include "plugins/executor/transformer/swap_file.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace troupe::transformer {
namespace {

std::string reason(int error) {
  return std::strerror(error);
}

/// Keeps SIGXFSZ, which ends a process, from this thread: a write past the limit on the size of
/// files then fails with EFBIG like any other.
class SizeSignalHeld {
 public:
  SizeSignalHeld() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~SizeSignalHeld() {
    const timespec now{};
    if (!was_pending_) sigtimedwait(&signal_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SizeSignalHeld(const SizeSignalHeld&) = delete;
  SizeSignalHeld& operator=(const SizeSignalHeld&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_ = false;
};

/// For file systems without O_TMPFILE: a file whose name is taken away at once.
int create_unlinked(const std::string& folder) {
  std::string path = folder + "/troupe_swap_XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);  // mode 0600
  if (descriptor >= 0) unlink(path.c_str());
  return descriptor;
}

int create_nameless(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  return errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL ? create_unlinked(folder) : -1;
}

}  // namespace

FileCalls FileCalls::of_the_system() {
  return {[](int file, const void* data, std::size_t size, off_t offset) {
            return pwrite(file, data, size, offset);
          },
          [](int file, void* data, std::size_t size, off_t offset) {
            return pread(file, data, size, offset);
          }};
}

SwapFile::SwapFile(SwapFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), calls_(std::move(other.calls_)) {}

SwapFile& SwapFile::operator=(SwapFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(calls_, other.calls_);
  return *this;
}

SwapFile::~SwapFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<SwapFile> SwapFile::create(const std::string& folder, FileCalls calls) {
  SwapFile file;
  file.calls_ = std::move(calls);
  file.descriptor_ = create_nameless(folder);
  if (file.descriptor_ < 0)
    return fail(errno == ENOENT || errno == ENOTDIR ? ErrorCode::not_found : ErrorCode::device,
                "swap_dir: no swap file can be made in '" + folder + "': " + reason(errno) +
                    "; name a folder on a disk that this process may write to");
  return file;
}

Result<void> SwapFile::write(std::int64_t offset, std::span<const std::byte> bytes) {
  const SizeSignalHeld held;
  while (!bytes.empty()) {
    const auto written = calls_.write(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
      return fail(full ? ErrorCode::resource_exhausted : ErrorCode::device,
                  "writing the swap file at " + std::to_string(offset) + ": " + reason(errno));
    }
    if (written == 0)
      return fail(ErrorCode::device,
                  "writing the swap file at " + std::to_string(offset) + ": nothing was written");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
  return {};
}

Result<void> SwapFile::read(std::int64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const auto got = calls_.read(descriptor_, bytes.data(), bytes.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return fail(ErrorCode::device,
                  "reading the swap file at " + std::to_string(offset) + ": " + reason(errno));
    if (got == 0)
      return fail(ErrorCode::device, "reading the swap file at " + std::to_string(offset) +
                                         ": it ends there; it was cut short");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
  return {};
}

}  // namespace troupe::transformer
