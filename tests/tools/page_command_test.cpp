#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "http/certificates.h"
#include "http/host_header.h"
#include "http/http_client.h"
#include "http/peers.h"
#include "kubeapi/waiting.h"
#include "support/checkout.h"
#include "tools/answering_server.h"
#include "tools/fake_cluster.h"
#include "tools/page/forward.h"
#include "tools/page/loopback.h"

namespace berth::tools::page_command_test {
namespace {

using http::testing::answer_to_host;
using http::testing::reply_to_host;

constexpr const char* kLease = "/apis/coordination.k8s.io/v1/namespaces/berth-system/leases/berthd";

// A `berth page` that runs, with programs of a directory before all others.
class Running {
 public:
  Running(std::vector<std::string> words, const std::string& programs) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
    words.insert(words.begin(), support::built_file("berth"));
    const std::string path = "PATH=" + programs + ":" + std::getenv("PATH");
    std::vector<char*> argv, environment{const_cast<char*>(path.c_str())};
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    for (char** each = environ; *each != nullptr; ++each) {
      if (!std::string_view(*each).starts_with("PATH=")) environment.push_back(*each);
    }
    environment.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&pid_, argv[0], &files, nullptr, argv.data(), environment.data()), 0);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    output_ = fdopen(ends[0], "r");
  }
  ~Running() {
    if (pid_ > 0) ended_by(SIGKILL);
    fclose(output_);
  }
  std::string line() const {
    char text[1024] = "";
    return fgets(text, sizeof text, output_) == nullptr ? "" : text;
  }
  // The exit code; -1: by the signal.
  int ended_by(int signal) {
    if (signal != 0) kill(pid_, signal);
    int status = 0;
    const pid_t pid = std::exchange(pid_, 0);
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = 0;
  FILE* output_ = nullptr;
};

// The address in "the page is at http://127.0.0.1:1/page/ until Ctrl-C", without the path.
std::string address_in(const std::string& line) {
  const std::size_t begin = line.find("http://");
  const std::size_t end = line.find("/page/");
  return begin == std::string::npos || end == std::string::npos ? ""
                                                                : line.substr(begin, end - begin);
}

http::Reply get(const std::string& url, const std::string& path) {
  const auto client = http::HttpClient::create({.url = url});
  EXPECT_TRUE(client) << url;
  const auto reply = client ? (*client)->get(path) : Result<http::Reply>(http::Reply{});
  return reply ? *reply : http::Reply{0, reply.error().message};
}

class PageCommand : public testing::Test {
 protected:
  // A kubectl that says what a real one says, to our berthd, and notes what it was asked for.
  void make_kubectl(const std::string& script) {
    const std::string file = programs_.write("kubectl", "#!/bin/sh\n" + script);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  std::string port_of_berthd() const { return berthd_.url().substr(berthd_.url().rfind(':') + 1); }

  AnsweringServer berthd_{{{"/page/", {200, "text/html", "<p>", {{"Cache-Control", "no-store"}}}},
                           {"/page/state", {401, "text/plain", "who?"}},
                           {"/queues", {200, "application/json", "{}"}}}};
  TemporaryDirectory programs_;
  FakeCluster cluster_;
};

TEST_F(PageCommand, BringsThePageOfTheLeaderThroughKubectl) {
  cluster_.serve_body(kLease, R"({"kind":"Lease","metadata":{"name":"berthd"},)"
                              R"("spec":{"holderIdentity":"berth-5f_0011_ab"}})");
  make_kubectl("echo \"$@\" > " + (programs_.path() / "words").string() +
               "\necho 'Forwarding from 127.0.0.1:" + port_of_berthd() +
               " -> 8892'\nexec cat /dev/zero >/dev/null\n");
  Running page({"page", "--port", "0", "--kubeconfig", cluster_.kubeconfig()},
               programs_.path().string());
  const std::string line = page.line();
  const std::string address = address_in(line);
  ASSERT_FALSE(address.empty()) << line;
  EXPECT_EQ(read_text(programs_.path() / "words"),
            "port-forward --address 127.0.0.1 -n berth-system pod/berth-5f_0011 :8892 "
            "--kubeconfig=" +
                cluster_.kubeconfig() + "\n");
  const http::Reply reply = get(address, "/page/");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body, "<p>");
  EXPECT_EQ(reply.header("cache-control"), "no-store");
  EXPECT_EQ(reply.header("berth-forwarded"), "berth page") << "PAGE-16";
  EXPECT_EQ(get(address, "/page/state").status, 401);
  EXPECT_EQ(get(address, "/queues").status, 404) << "the page alone";
  cluster_.serve_body(kLease, R"({"kind":"Lease","metadata":{"name":"berthd"},)"
                              R"("spec":{"holderIdentity":"berth-other_22"}})");
  EXPECT_TRUE(kubeapi::testing::until([&] {
    return read_text(programs_.path() / "words").find(" pod/berth-other ") != std::string::npos;
  })) << "the lead changes, and the address stays";
  EXPECT_TRUE(kubeapi::testing::until([&] { return get(address, "/page/").status == 200; }));
  EXPECT_EQ(page.ended_by(SIGINT), 0);
}

TEST_F(PageCommand, SaysWhatKubectlSays) {
  make_kubectl("echo 'error: pods \"berth\" is forbidden' >&2\nexit 1\n");
  Running page({"page", "--port", "0", "--kubeconfig", cluster_.kubeconfig()},
               programs_.path().string());
  EXPECT_EQ(page.line(), "kubectl port-forward: error: pods \"berth\" is forbidden\n");
  EXPECT_EQ(page.ended_by(0), 2);
}

TEST_F(PageCommand, BringsThePageOfAServer) {
  Running page({"page", "--port", "0", "--server", berthd_.url()}, programs_.path().string());
  const std::string address = address_in(page.line());
  EXPECT_EQ(get(address, "/page/").body, "<p>");
  Running second(
      {"page", "--port", address.substr(address.rfind(':') + 1), "--server", berthd_.url()},
      programs_.path().string());
  EXPECT_NE(second.line().find("expected another --port"), std::string::npos);
  EXPECT_EQ(second.ended_by(0), 2);
  EXPECT_EQ(page.ended_by(SIGTERM), 0);
}

TEST_F(PageCommand, PAGE17_ATokenThatIsRefusedIsReadAgain) {
  const auto file = [&](const char* name) { return (programs_.path() / name).string(); };
  const http::testing::Authority authority("ca", file("ca.crt"));
  authority.issue("berthd", file("tls.crt"), file("tls.key"));
  http::ServerOptions options;
  options.tls = http::ServerTls{file("tls.crt"), file("tls.key")};
  const auto server =
      http::make_http_server(options, [](const http::Request& request, http::Responder responder) {
        const bool is_known = request.authorization == "Bearer new";
        responder.answer(http::text_response(is_known ? 200 : 401, request.authorization));
      });
  ASSERT_TRUE(server->start());
  const std::string port = std::to_string(server->port());
  make_kubectl("echo 'Forwarding from 127.0.0.1:" + port +
               " -> 8892'\nexec cat /dev/zero >/dev/null\n");
  for (const bool is_by_kubectl : {false, true}) {
    std::vector<std::string> words{"page", "--port", "0", "--tls-ca", file("ca.crt")};
    words.insert(words.end(), {"--token-file", programs_.write("token", "old")});
    if (is_by_kubectl) {
      words.insert(words.end(), {"--kubeconfig", cluster_.kubeconfig()});
    } else {
      words.insert(words.end(), {"--server", "https://127.0.0.1:" + port});
    }
    Running page(words, programs_.path().string());
    const std::string address = address_in(page.line());
    EXPECT_EQ(get(address, "/page/state").body, "Bearer old");
    programs_.write("token", "new");
    EXPECT_TRUE(kubeapi::testing::until([&] { return get(address, "/page/state").status == 200; }))
        << is_by_kubectl;
    EXPECT_EQ(page.ended_by(SIGINT), 0);
  }
}

TEST_F(PageCommand, AForwardThatEndsIsNoticed) {
  make_kubectl("echo 'Forwarding from 127.0.0.1:1234 -> 8892'\n");
  const std::string path = programs_.path().string() + ":" + std::getenv("PATH");
  const std::string before = std::getenv("PATH");
  setenv("PATH", path.c_str(), 1);
  const auto forward = Forward::start({"port-forward"});
  setenv("PATH", before.c_str(), 1);
  ASSERT_TRUE(forward) << forward.error().to_string();
  EXPECT_EQ((*forward)->port(), 1234);
  EXPECT_TRUE(kubeapi::testing::until([&] { return (*forward)->has_ended(); }));
}

TEST_F(PageCommand, ANameThatOthersPointHereIsRefused) {
  Loopback loopback;
  ASSERT_TRUE(loopback.start(0));
  const std::string url = loopback.url();
  const std::string port = url.substr(17, url.find("/page") - 17);
  const auto number = static_cast<std::uint16_t>(std::stoul(port));
  for (const std::string& host : {std::string("evil.example"), "evil.example:" + port,
                                  std::string("127.0.0.1"), std::string("127.0.0.1:1")}) {
    const std::string reply = reply_to_host(number, host, "/page/");
    EXPECT_EQ(reply.find("HTTP/1.1 421 "), 0U) << host;
    EXPECT_NE(reply.find("X-Content-Type-Options: nosniff"), std::string::npos) << "PAGE-10";
    EXPECT_EQ(reply.find("evil"), std::string::npos) << reply;
  }
  EXPECT_EQ(get("http://localhost:" + port, "/page/").status, 502) << "nothing is reached yet";
  loopback.set_berthd(std::move(*http::HttpClient::create({.url = berthd_.url()})));
  EXPECT_EQ(get("http://localhost:" + port, "/page/").status, 200);
  EXPECT_EQ(get("http://127.0.0.1:" + port, "/").status, 308);
  EXPECT_EQ(get("http://127.0.0.2:" + port, "/page/").status, 0) << "not listened at";
  EXPECT_EQ(get("http://[::1]:" + port, "/page/").status, 0);
  EXPECT_FALSE(loopback.was_refused());
  EXPECT_EQ(get("http://127.0.0.1:" + port, "/page/state").status, 401);
  EXPECT_TRUE(loopback.was_refused());
  loopback.set_berthd(nullptr, "gone");
  EXPECT_EQ(get("http://127.0.0.1:" + port, "/page/").body, "berthd cannot be reached: gone");
}

TEST_F(PageCommand, PAGE18_APathThatLeadsOutOfThePageIsRefused) {
  Loopback loopback;
  ASSERT_TRUE(loopback.start(0));
  loopback.set_berthd(std::move(*http::HttpClient::create({.url = berthd_.url()})));
  const std::string url = loopback.url();
  const std::string port = url.substr(17, url.find("/page") - 17);
  const auto number = static_cast<std::uint16_t>(std::stoul(port));
  const auto status_of = [&](const std::string& path) {
    return answer_to_host(number, "127.0.0.1:" + port, path).substr(9, 3);
  };
  for (const char* path :
       {"/page/../queues", "/page/./x", "/page/..", "/page/.", "/page/a/../../queues",
        "/page/%2e%2e/queues", "/page/%2E./queues", "/page/..%2fqueues", "/page/..\\queues"}) {
    EXPECT_EQ(status_of(path), "400") << path;
  }
  EXPECT_EQ(status_of("/page/..."), "404") << "berthd's";
  EXPECT_EQ(status_of("/page/?.."), "200");
}

// berthd keeps requests of the state until the test answers them.
class LoopbackThatWaits : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(loopback_->start(0));
    loopback_->set_berthd(berthd_.client());
    const std::string url = loopback_->url();
    address_ = url.substr(0, url.find("/page"));
    port_ = static_cast<std::uint16_t>(std::stoul(url.substr(17)));
  }
  http::testing::RawClient ask_for_state() const {
    http::testing::RawClient client(port_);
    client.send("GET /page/state HTTP/1.1\r\nHost: " + address_.substr(7) + "\r\n\r\n");
    return client;
  }

  http::testing::Holder holder_;
  http::testing::RunningServer berthd_{
      [this](const http::Request& request, http::Responder responder) {
        if (request.path == "/page/state") {
          return holder_.handler()(request, std::move(responder));
        }
        responder.answer(http::text_response(200, "file"));
      }};
  std::unique_ptr<Loopback> loopback_ = std::make_unique<Loopback>();
  std::string address_;
  std::uint16_t port_ = 0;
};

TEST_F(LoopbackThatWaits, PAGE19_ClientsThatLeaveAreForgotten) {
  std::vector<http::testing::RawClient> clients;
  for (std::size_t i = 0; i < Loopback::kStatesAtOnce; ++i) clients.push_back(ask_for_state());
  ASSERT_TRUE(holder_.wait_for(Loopback::kStatesAtOnce));
  EXPECT_EQ(get(address_, "/page/").body, "file") << "files wait for no state";
  auto late = ask_for_state();
  clients.clear();
  EXPECT_TRUE(holder_.wait_for_disconnected(Loopback::kStatesAtOnce)) << "berthd sees them leave";
  ASSERT_TRUE(holder_.wait_for(Loopback::kStatesAtOnce + 1));
  holder_.answer_all(http::text_response(200, "state"));
  EXPECT_EQ(http::testing::body_of(late.receive_reply()), "state");
}

TEST_F(LoopbackThatWaits, PAGE19_AnEndWaitsForNoAnswer) {
  const auto client = ask_for_state();
  ASSERT_TRUE(holder_.wait_for(1));
  const auto begin = std::chrono::steady_clock::now();
  loopback_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30))
      << "an answer may take 35";
  EXPECT_TRUE(holder_.wait_for_disconnected(1));
}

}  // namespace
}  // namespace berth::tools::page_command_test
