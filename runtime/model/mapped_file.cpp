#include "troupe/model/mapped_file.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace troupe::model {
namespace {

/// Closes a file descriptor when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<Error> system_failure(std::string_view what, int error_number) {
  const auto code =
      error_number == ENOENT || error_number == ENOTDIR ? ErrorCode::not_found : ErrorCode::device;
  return fail(code, std::string(what) + ": " + std::generic_category().message(error_number));
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
  // Non-blocking: opening a named pipe without a writer would otherwise wait for ever.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_failure("cannot open the file", errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return system_failure("cannot read its size", errno);
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::invalid_argument, "not a regular file; expected a model file");
  if (status.st_size == 0) return fail(ErrorCode::invalid_argument, "the file is empty");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) return system_failure("cannot map the file", errno);
  return std::shared_ptr<const MappedFile>(
      new MappedFile({static_cast<const std::byte*>(address), size}));
}

MappedFile::~MappedFile() {
  // The mapping was made writable for nobody; munmap takes void* all the same.
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace troupe::model
