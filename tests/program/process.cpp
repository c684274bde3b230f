#include "process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

[[noreturn]] void execute(const std::vector<std::string>& arguments) {
  std::string program = TROUPE_BINARY_DIR "/bin/troupe";
  std::vector<char*> words = {program.data()};
  std::vector<std::string> copies = arguments;
  for (auto& word : copies)
    words.push_back(word.data());
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  _exit(127);
}

milliseconds left(steady_clock::time_point deadline) {
  return std::max(milliseconds(0),
                  std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now()));
}

/// Appends what can be read; false at the end.
bool append(int file, std::string& text) {
  std::array<char, 65536> buffer;
  const auto count = read(file, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  text.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, Terminal terminal)
    : begin_(steady_clock::now()) {
  std::signal(SIGPIPE, SIG_IGN);
  if (terminal == Terminal::yes) {
    pid_ = forkpty(&output_, nullptr, nullptr, nullptr);
    if (pid_ == 0) {
      setenv("TERM", "xterm", 1);
      execute(arguments);
    }
    input_ = dup(output_);
    return;
  }
  std::array<int, 2> in{}, out{}, err{};
  if (pipe2(in.data(), O_CLOEXEC) || pipe2(out.data(), O_CLOEXEC) || pipe2(err.data(), O_CLOEXEC))
    return;
  pid_ = fork();
  if (pid_ == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    execute(arguments);
  }
  for (const int file : {in[0], out[1], err[1]})
    close(file);
  input_ = in[1];
  output_ = out[0];
  errors_ = err[0];
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int file : {input_, output_, errors_})
    if (file >= 0) close(file);
}

void Process::write(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const auto count = ::write(input_, text.data() + done, text.size() - done);
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

void Process::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

void Process::send_signal(int signal) const {
  kill(pid_, signal);
}

bool Process::read_some(milliseconds limit) {
  std::array<pollfd, 2> files = {pollfd{output_, POLLIN, 0}, pollfd{errors_, POLLIN, 0}};
  if (output_ < 0 && errors_ < 0) return false;
  if (poll(files.data(), files.size(), static_cast<int>(limit.count())) <= 0) return true;
  if (files[0].revents && !append(output_, out_)) {
    close(output_);
    output_ = -1;
  }
  if (files[1].revents && !append(errors_, err_)) {
    close(errors_);
    errors_ = -1;
  }
  return output_ >= 0 || errors_ >= 0;
}

bool Process::wait_for(const std::string& text, milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  while (true) {
    if (const auto at = out_.find(text, searched_); at != std::string::npos) {
      searched_ = at + text.size();
      return true;
    }
    if (err_.find(text) != std::string::npos) return true;
    if (steady_clock::now() >= deadline || !read_some(std::min(left(deadline), milliseconds(100))))
      return false;
  }
}

bool Process::wait_until_output_is_stuck() {
  // A page: the default of 64 KiB takes a slow writer long to fill.
  fcntl(output_, F_SETPIPE_SZ, 4096);
  int before = 0, unchanged = 0;
  for (int tries = 0; tries < 400 && unchanged < 20; ++tries) {
    usleep(25000);
    int bytes = 0;
    if (ioctl(output_, FIONREAD, &bytes) != 0) return false;
    unchanged = bytes > 0 && bytes == before ? unchanged + 1 : 0;
    before = bytes;
  }
  return unchanged == 20;
}

bool Process::ends_unread(milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  siginfo_t info{};
  // Left to be waited for once more, by wait().
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0) {
    if (steady_clock::now() >= deadline) return false;
    usleep(1000);
  }
  return info.si_pid == pid_;
}

Finished Process::wait(milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  while (read_some(milliseconds(20)) && steady_clock::now() < deadline) {
  }
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (steady_clock::now() >= deadline) kill(pid_, SIGKILL);
    usleep(1000);
  }
  pid_ = -1;
  Finished finished;
  if (WIFEXITED(status)) finished.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished.signal = WTERMSIG(status);
  finished.out = out_;
  finished.err = err_;
  finished.seconds = std::chrono::duration<double>(steady_clock::now() - begin_).count();
  return finished;
}

Finished run_troupe(const std::vector<std::string>& arguments, const std::string& input) {
  Process process(arguments);
  process.write(input);
  process.close_input();
  return process.wait();
}

}  // namespace troupe::testing
