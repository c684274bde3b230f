#include "npy_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace troupe::program {
namespace {

std::string temporary(const char* name) {
  return (std::filesystem::temp_directory_path() / name).string() + std::to_string(getpid());
}

std::string read_all(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(NpyFile, HoldsAHeaderOfWhole64BytesAndTheRows) {
  const auto path = temporary("npy");
  auto file = NpyFile::create(path, 2, 3);
  ASSERT_TRUE(file);
  const float rows[2][3] = {{1, 2, 3}, {-4, 5.5f, 6}};
  (*file)->write(rows[0]);
  (*file)->write(rows[1]);
  ASSERT_TRUE((*file)->finish());
  const auto text = read_all(path);
  std::filesystem::remove(path);
  EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t length =
      static_cast<unsigned char>(text[8]) + 256u * static_cast<unsigned char>(text[9]);
  EXPECT_EQ((10 + length) % 64, 0u);
  EXPECT_NE(text.find("'shape': (2, 3), }"), std::string::npos);
  EXPECT_EQ(text[10 + length - 1], '\n');
  ASSERT_EQ(text.size(), 10 + length + sizeof rows);
  EXPECT_EQ(std::memcmp(text.data() + 10 + length, rows, sizeof rows), 0);
}

TEST(NpyFile, LeavesNothingBehindUnlessItIsFinished) {
  const auto path = temporary("npy_unfinished");
  ASSERT_TRUE(NpyFile::create(path, 1, 1));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(NpyFile, WritesDevicesAsTheyAre) {
  auto file = NpyFile::create("/dev/null", 1, 1);
  ASSERT_TRUE(file);
  const float row[] = {1};
  (*file)->write(row);
  EXPECT_TRUE((*file)->finish());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(NpyFile, SaysWhenItCannotBeCreated) {
  const auto absent = NpyFile::create("/no/such/folder/x.npy", 1, 1);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code(), ErrorCode::device);
}

TEST(NpyFile, SaysWhenTheDiskIsFull) {
  auto full = NpyFile::create("/dev/full", 1, 1);
  ASSERT_TRUE(full);
  EXPECT_FALSE((*full)->finish());
}

}  // namespace
}  // namespace troupe::program
