#include "tools/page/forward.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>

#include "berth/base/text.h"

namespace berth::tools {

namespace {

constexpr std::chrono::seconds kUntilForwarded{30};
constexpr std::size_t kPrintedMost = 600;

// It ends with this thread, whatever ends that.
[[noreturn]] void become(char* const* words, int output) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(words[0], words);
  _exit(127);
}

}  // namespace

Result<std::unique_ptr<Forward>> Forward::start(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"kubectl"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Error{std::strerror(errno), "kubectl"};
  const pid_t child = fork();
  if (child == 0) become(pointers.data(), ends[1]);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return Error{std::strerror(errno), "kubectl"};
  }
  std::unique_ptr<Forward> forward(new Forward(child, ends[0]));
  std::unique_lock lock(forward->mutex_);
  forward->news_.wait_for(lock, kUntilForwarded,
                          [&] { return forward->port_ != 0 || forward->has_ended_; });
  if (forward->port_ != 0) return forward;
  std::string printed(trimmed(forward->printed_));
  lock.unlock();
  if (printed.empty()) printed = "no answer; expected kubectl in $PATH, and the API server";
  return Error{std::move(printed), "kubectl port-forward"};
}

Forward::Forward(pid_t child, int output) : child_(child), output_(output) {
  reader_ = std::thread([this] { read(); });
}

Forward::~Forward() {
  kill(child_, SIGTERM);
  reader_.join();
  close(output_);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Forward::has_ended() const {
  const std::lock_guard lock(mutex_);
  return has_ended_;
}

// kubectl writes a line for each connection, and would wait if nobody read.
void Forward::read() {
  std::array<char, 1024> buffer{};
  std::string rest;
  while (true) {
    const ssize_t got = ::read(output_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    rest.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
      take(rest.substr(0, end));
      rest.erase(0, end + 1);
    }
    if (rest.size() > kPrintedMost) rest.clear();
  }
  const std::lock_guard lock(mutex_);
  printed_ += rest;
  has_ended_ = true;
  news_.notify_all();
}

void Forward::take(const std::string& line) {
  constexpr std::string_view kForwards = "Forwarding from 127.0.0.1:";
  const std::lock_guard lock(mutex_);
  if (line.starts_with(kForwards)) {
    std::from_chars(line.data() + kForwards.size(), line.data() + line.size(), port_);
    news_.notify_all();
    return;
  }
  if (printed_.size() < kPrintedMost) printed_ += line + "\n";
}

}  // namespace berth::tools
