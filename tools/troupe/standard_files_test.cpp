#include "standard_files.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace troupe::program {
namespace {

bool fails_as_closed(ssize_t count) {
  return count == -1 && errno == EBADF;
}

/// 0 when all is as it should be, else the number of what is not. Runs in a process of its own.
int close_all_and_occupy() {
  for (int file = 0; file <= 2; ++file)
    close(file);
  if (!occupy_closed_standard_files()) return 1;
  char byte = 'x';
  if (!fails_as_closed(read(0, &byte, 1))) return 2;
  if (!fails_as_closed(write(1, &byte, 1))) return 3;
  if (!fails_as_closed(write(2, &byte, 1))) return 4;
  return open("/dev/null", O_RDWR) > 2 ? 0 : 5;
}

int keeps_what_is_open() {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0 || dup2(pipe_ends[1], 1) != 1) return 1;
  close(0);
  if (!occupy_closed_standard_files()) return 2;
  char byte = 'x';
  if (write(1, &byte, 1) != 1 || read(pipe_ends[0], &byte, 1) != 1) return 3;
  return fails_as_closed(read(0, &byte, 1)) ? 0 : 4;
}

TEST(StandardFiles, ClosedOnesAreOccupiedAndStillCannotBeUsed) {
  EXPECT_EXIT(_exit(close_all_and_occupy()), ::testing::ExitedWithCode(0), "");
}

TEST(StandardFiles, OpenOnesStayAsTheyAre) {
  EXPECT_EXIT(_exit(keeps_what_is_open()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace troupe::program
