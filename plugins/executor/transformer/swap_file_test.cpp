#include "plugins/executor/transformer/swap_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace troupe::transformer {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::byte>;

std::string temporary_folder() {
  return std::filesystem::temp_directory_path().string();
}

SwapFile file_with(FileCalls calls = FileCalls::of_the_system()) {
  auto file = SwapFile::create(temporary_folder(), std::move(calls));
  EXPECT_TRUE(file) << file.error().message();
  return std::move(*file);
}

Bytes some_bytes(std::size_t count) {
  Bytes bytes;
  for (std::size_t i = 0; i < count; ++i)
    bytes.push_back(static_cast<std::byte>(i * 7 + 3));
  return bytes;
}

TEST(SwapFile, ReadsBackWhatItWroteWhereverThatWas) {
  auto file = file_with();
  const auto far = some_bytes(1000), near = some_bytes(10);
  ASSERT_TRUE(file.write(1 << 20, far));
  ASSERT_TRUE(file.write(5, near));
  Bytes read(1000);
  ASSERT_TRUE(file.read(1 << 20, read));
  EXPECT_EQ(read, far);
  read.resize(10);
  ASSERT_TRUE(file.read(5, read));
  EXPECT_EQ(read, near);
}

TEST(SwapFile, HasNoNameAndIsForItsOwnerOnly) {
  const auto file = file_with();
  struct stat status {};
  ASSERT_EQ(fstat(file.descriptor(), &status), 0);
  EXPECT_EQ(status.st_nlink, 0u);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  EXPECT_TRUE(fcntl(file.descriptor(), F_GETFD) & FD_CLOEXEC);
}

TEST(SwapFile, NamesAFolderThatItCannotUse) {
  const auto file = SwapFile::create("/no/such/folder");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), ErrorCode::not_found);
  EXPECT_THAT(file.error().message(), HasSubstr("swap_dir"));
  EXPECT_THAT(file.error().message(), HasSubstr("'/no/such/folder'"));
}

TEST(SwapFile, GoesOnAfterShortTransfersAndInterruptions) {
  int calls = 0;
  FileCalls slow;
  slow.write = [&](int descriptor, const void* data, std::size_t size, off_t offset) -> ssize_t {
    if (++calls % 3 == 0) return errno = EINTR, -1;
    return pwrite(descriptor, data, std::min<std::size_t>(size, 7), offset);
  };
  slow.read = [&](int descriptor, void* data, std::size_t size, off_t offset) -> ssize_t {
    if (++calls % 3 == 0) return errno = EINTR, -1;
    return pread(descriptor, data, std::min<std::size_t>(size, 11), offset);
  };
  auto file = file_with(slow);
  const auto bytes = some_bytes(500);
  ASSERT_TRUE(file.write(100, bytes));
  Bytes read(500);
  ASSERT_TRUE(file.read(100, read));
  EXPECT_EQ(read, bytes);
  EXPECT_GT(calls, 500 / 7 + 500 / 11);
}

TEST(SwapFile, AFullDiskOrQuotaIsAShortageAndAnyOtherErrorAFault) {
  for (const auto& [error, code] : {std::pair{ENOSPC, ErrorCode::resource_exhausted},
                                    {EDQUOT, ErrorCode::resource_exhausted},
                                    {EFBIG, ErrorCode::resource_exhausted},
                                    {EIO, ErrorCode::device}}) {
    auto calls = FileCalls::of_the_system();
    calls.write = [error = error](int descriptor, const void* data, std::size_t size,
                                  off_t offset) -> ssize_t {
      // The first half still has room.
      if (size > 50) return pwrite(descriptor, data, 50, offset);
      return errno = error, -1;
    };
    auto file = file_with(calls);
    const auto written = file.write(0, some_bytes(100));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code(), code);
    EXPECT_THAT(written.error().message(), HasSubstr("at 50: "));
    EXPECT_THAT(written.error().message(), HasSubstr(std::strerror(error)));
  }
}

TEST(SwapFile, AWriteThatMovesNothingEndsWithAnError) {
  auto calls = FileCalls::of_the_system();
  calls.write = [](int, const void*, std::size_t, off_t) -> ssize_t { return 0; };
  EXPECT_FALSE(file_with(calls).write(0, some_bytes(10)));
}

TEST(SwapFile, AFileCutShortIsAnError) {
  auto file = file_with();
  ASSERT_TRUE(file.write(0, some_bytes(1000)));
  ASSERT_EQ(ftruncate(file.descriptor(), 900), 0);
  Bytes read(1000);
  const auto done = file.read(0, read);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("at 900: it ends there"));
}

TEST(SwapFile, TheLimitOnTheSizeOfFilesIsAnErrorAndNoSignal) {
  auto file = file_with();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = file.write(500, some_bytes(1000));
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), ErrorCode::resource_exhausted);
  sigset_t left;
  sigpending(&left);
  EXPECT_FALSE(sigismember(&left, SIGXFSZ));
  pthread_sigmask(SIG_BLOCK, nullptr, &left);
  EXPECT_FALSE(sigismember(&left, SIGXFSZ));
}

}  // namespace
}  // namespace troupe::transformer
