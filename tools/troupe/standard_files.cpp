#include "standard_files.h"

#include <fcntl.h>
#include <unistd.h>

namespace troupe::program {

bool occupy_closed_standard_files() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (fcntl(file, F_GETFD) >= 0) continue;
    // The wrong way round: a result must not vanish, nor a prompt be taken for an empty one.
    const int direction = file == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    // The lowest number that is free: those below are taken.
    if (open("/dev/null", direction) != file) return false;
  }
  return true;
}

}  // namespace troupe::program
