#pragma once

namespace troupe::program {

/// Puts something in the place of each of standard input, output and error that is closed, so that
/// the next file to be opened does not become it: messages would be written into results. Reading
/// from and writing to what takes its place fails, as it does on a closed file. Call it before
/// anything else is opened. False when a place stays empty.
bool occupy_closed_standard_files();

}  // namespace troupe::program
