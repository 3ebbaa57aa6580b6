#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>
#include <nlohmann/json.hpp>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"

namespace berth::daemon {
namespace {

using Json = nlohmann::json;

// A connection that says half of a request and no more.
class HalfRequest {
 public:
  explicit HalfRequest(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* const to = reinterpret_cast<const sockaddr*>(&address);
    EXPECT_EQ(::connect(socket_, to, sizeof address), 0);
    constexpr std::string_view kHalf =
        "POST /plan/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{";
    EXPECT_EQ(::send(socket_, kHalf.data(), kHalf.size(), 0), static_cast<ssize_t>(kHalf.size()));
  }
  ~HalfRequest() { ::close(socket_); }
  HalfRequest(const HalfRequest&) = delete;
  HalfRequest& operator=(const HalfRequest&) = delete;

 private:
  int socket_;
};

// A gang of eight of which the last never come, so the binds of the others are held.
class AppShutdown : public testing::Test {
 protected:
  void hold_seven_binds() {
    start_gang(1);
    holds(7);
  }
  void start_gang(int never_come) {
    directory_.write("all.yaml", nodes_yaml(4, 4) + gang_yaml("g", 8, 2000, "", never_come));
    berthd_ = std::make_unique<BerthdProcess>(std::vector<std::string>{
        "--embedded", directory_.path().string(), "--config",
        config_.write("berth.yaml", std::string(kWithoutPredicates) +
                                        "barrier: {timeout: 1h, maxTimeout: 1h}\n")});
  }
  void holds(int binds) {
    ASSERT_TRUE(berthd_->eventually([&] {
      return berthd_->metric("berth_state{what=\"held_binds\"}") == binds;
    })) << berthd_->printed();
  }
  // Within five seconds, and more where the machine is busy; binds are held for an hour.
  void ends_after(int signal) {
    berthd_->send_signal(signal);
    EXPECT_EQ(berthd_->exit_code(std::chrono::seconds(20)), 0) << berthd_->printed();
    EXPECT_TRUE(berthd_->has_printed("stopping"));
  }

  TemporaryDirectory directory_;
  TemporaryDirectory config_;
  std::unique_ptr<BerthdProcess> berthd_;
};

TEST_F(AppShutdown, SigtermEndsItWithBindsHeld) {
  hold_seven_binds();
  ends_after(SIGTERM);
}

TEST_F(AppShutdown, SigintDoesToo) {
  hold_seven_binds();
  ends_after(SIGINT);
}

TEST_F(AppShutdown, PeersThatNeverFinishTheirRequestDoNotDelayIt) {
  hold_seven_binds();
  std::vector<std::unique_ptr<HalfRequest>> peers;
  for (int i = 0; i < 100; ++i) peers.push_back(std::make_unique<HalfRequest>(berthd_->port()));
  ends_after(SIGTERM);
}

// The stand-in never calls for g-6, so this call competes with none. Its refusals of g-6 and g-7
// end the first plan; in the same words again, they are no vetoes (STEER-12), so the second stands.
TEST_F(AppShutdown, AHeldCallIsAnsweredThatItIsShuttingDown) {
  start_gang(2);
  ASSERT_TRUE(berthd_->eventually([this] {
    return berthd_->count_of_lines("job ml/g planned: ") == 2;
  })) << berthd_->printed();
  holds(6);
  const std::string filter =
      R"({"Pod":{"metadata":{"name":"g-6","namespace":"ml","uid":"uid-g-6"},)"
      R"("spec":{"schedulerName":"berth"}},"NodeNames":["n000","n001","n002","n003"]})";
  const Json kept = Json::parse(berthd_->post("/plan/filter", filter).body);
  ASSERT_EQ(kept["NodeNames"].size(), 1u) << kept;
  const Json bind{{"PodName", "g-6"},
                  {"PodNamespace", "ml"},
                  {"PodUID", "uid-g-6"},
                  {"Node", kept["NodeNames"][0]}};
  auto reply =
      std::async(std::launch::async, [&] { return berthd_->post("/commit/bind", bind.dump()); });
  holds(7);
  ends_after(SIGTERM);
  const http::Reply answer = reply.get();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(Json::parse(answer.body)["Error"], "berthd is shutting down");
}

}  // namespace
}  // namespace berth::daemon
