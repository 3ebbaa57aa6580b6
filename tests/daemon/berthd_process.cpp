#include "daemon/berthd_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "support/checkout.h"

namespace berth::daemon {

namespace {

const std::string kBerthd = support::built_file("berthd");

}  // namespace

BerthdProcess::BerthdProcess(std::vector<std::string> arguments) {
  if (std::find(arguments.begin(), arguments.end(), "--listen") == arguments.end()) {
    arguments.insert(arguments.end(), {"--listen", "127.0.0.1:0"});
  }
  spawn(std::move(arguments));
  reader_ = std::thread([this] { read(); });
}

BerthdProcess::~BerthdProcess() {
  client_.reset();
  {
    const std::lock_guard lock(mutex_);
    if (!has_ended_) ::kill(pid_, SIGKILL);
  }
  reader_.join();
  ::close(output_);
  // In a build with sanitizers, what they have to say of the program fails the test.
  EXPECT_EQ(count_of_lines("Sanitizer"), 0u) << printed();
  EXPECT_EQ(count_of_lines("runtime error: "), 0u) << printed();
}

void BerthdProcess::spawn(std::vector<std::string> arguments) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
  arguments.insert(arguments.begin(), kBerthd);
  std::vector<char*> argv;
  for (std::string& word : arguments) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int fault = posix_spawn(&pid_, kBerthd.c_str(), &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  ::close(ends[1]);
  output_ = ends[0];
  ASSERT_EQ(fault, 0) << "cannot start " << kBerthd;
}

// Until the other side is closed, which is at the end of the process.
void BerthdProcess::read() {
  std::string rest;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(output_, buffer, sizeof buffer)) > 0;) {
    rest.append(buffer, static_cast<std::size_t>(got));
    const std::lock_guard lock(mutex_);
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string::npos;) {
      lines_.push_back(rest.substr(0, end));
      rest.erase(0, end + 1);
    }
    changed_.notify_all();
  }
  int status = 0;
  if (pid_ > 0) ::waitpid(pid_, &status, 0);
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  if (WIFEXITED(status)) exit_code_ = WEXITSTATUS(status);
  changed_.notify_all();
}

bool BerthdProcess::says(const std::string& part) {
  std::unique_lock lock(mutex_);
  std::size_t seen = 0;
  bool found = false;
  const auto is_there = [&] {
    for (; seen < lines_.size() && !found; ++seen) {
      found = lines_[seen].find(part) != std::string::npos;
    }
    return found || has_ended_;
  };
  changed_.wait_for(lock, kPatience, is_there);
  return found;
}

bool BerthdProcess::has_printed(const std::string& part) { return count_of_lines(part) > 0; }

std::size_t BerthdProcess::count_of_lines(const std::string& part) {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(lines_.begin(), lines_.end(),
                    [&](const std::string& line) { return line.find(part) != std::string::npos; }));
}

std::string BerthdProcess::printed() {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const std::string& line : lines_) text += line + "\n";
  return text;
}

bool BerthdProcess::eventually(const std::function<bool()>& is_so) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!is_so()) {
    std::unique_lock lock(mutex_);
    if (has_ended_ || std::chrono::steady_clock::now() > deadline) return false;
    const std::size_t before = lines_.size();
    changed_.wait_for(lock, std::chrono::milliseconds(20),
                      [&] { return has_ended_ || lines_.size() > before; });
  }
  return true;
}

std::uint16_t BerthdProcess::port() {
  const std::string words = "listening on port ";
  if (!says(words)) {
    ADD_FAILURE() << "it does not listen:\n" << printed();
    return 0;
  }
  const std::string text = printed();
  return static_cast<std::uint16_t>(std::atoi(text.c_str() + text.find(words) + words.size()));
}

http::HttpClient& BerthdProcess::client() {
  if (client_ == nullptr) {
    http::ClientOptions options;
    options.url = "http://127.0.0.1:" + std::to_string(port());
    options.timeout = kPatience;
    auto made = http::HttpClient::create(options);
    EXPECT_TRUE(made);
    client_ = std::move(*made);
  }
  return *client_;
}

http::Reply BerthdProcess::get(const std::string& path) {
  auto reply = client().get(path);
  EXPECT_TRUE(reply) << path << ": " << reply.error().to_string();
  return reply ? std::move(*reply) : http::Reply{};
}

http::Reply BerthdProcess::post(const std::string& path, const std::string& body) {
  auto reply = client().post(path, body);
  EXPECT_TRUE(reply) << path << ": " << reply.error().to_string();
  return reply ? std::move(*reply) : http::Reply{};
}

http::Reply BerthdProcess::exchange(const std::string& method, const std::string& path) {
  auto reply = client().exchange(method, path, "application/json", "");
  EXPECT_TRUE(reply) << method << " " << path << ": " << reply.error().to_string();
  return reply ? std::move(*reply) : http::Reply{};
}

double BerthdProcess::metric(const std::string& series) {
  const std::string text = "\n" + get("/metrics").body;
  const std::string begin = "\n" + series + " ";
  const std::size_t at = text.find(begin);
  return at == std::string::npos ? 0 : std::atof(text.c_str() + at + begin.size());
}

void BerthdProcess::send_signal(int signal) const { ::kill(pid_, signal); }

std::optional<int> BerthdProcess::exit_code(std::chrono::seconds patience) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, patience, [this] { return has_ended_; })) return std::nullopt;
  return exit_code_;
}

}  // namespace berth::daemon
