#include "troupe/model/mapped_file.h"

#include "troupe/model/testing/test_files.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace troupe::model {
namespace {

TEST(MappedFile, ShowsTheBytesAfterTheFileIsRemoved) {
  std::shared_ptr<const MappedFile> mapped;
  {
    const testing::TemporaryFile file("mapped");
    file.write(std::as_bytes(std::span(std::string_view("abc"))));
    mapped = MappedFile::open(file.path()).value();
  }
  ASSERT_EQ(mapped->bytes().size(), 3u);
  EXPECT_EQ(mapped->bytes()[2], std::byte{'c'});
}

TEST(MappedFile, DoesNotWaitForAPipeThatNobodyWrites) {
  const testing::TemporaryFile pipe("pipe");
  ASSERT_EQ(::mkfifo(pipe.path().c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(pipe.path()).error().code(), ErrorCode::invalid_argument);
}

TEST(MappedFile, TellsAbsentFilesFromThoseItMayNotOpen) {
  EXPECT_EQ(MappedFile::open("/nowhere/x").error().code(), ErrorCode::not_found);
  const testing::TemporaryFile file("plain");
  file.write(std::as_bytes(std::span(std::string_view("x"))));
  EXPECT_EQ(MappedFile::open(file.path() / "below").error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace troupe::model
