#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "http/certificates.h"
#include "http/peers.h"

namespace berth::http {
namespace {

using namespace testing;
namespace fs = std::filesystem;

// A mounted secret: the files are links into "..data", a link that the kubelet replaces in one
// step.
class Secret {
 public:
  Secret(const Authority& authority, std::string directory)
      : authority_(authority), directory_(std::move(directory)) {
    fs::create_directory(directory_);
    rotate();
    for (const char* name : {"tls.crt", "tls.key"}) {
      fs::create_symlink(fs::path("..data") / name, file(name));
    }
  }

  void rotate() {
    const fs::path fresh = directory_ / fs::path("..v" + std::to_string(++version_));
    fs::create_directory(fresh);
    authority_.issue("server " + std::to_string(version_), fresh / "tls.crt", fresh / "tls.key");
    fs::create_symlink(fresh.filename(), directory_ / "..data_tmp");
    fs::rename(directory_ / "..data_tmp", directory_ / "..data");
    fs::remove_all(directory_ / fs::path("..v" + std::to_string(version_ - 1)));
  }

  std::string file(const std::string& name) const { return directory_ / name; }

 private:
  const Authority& authority_;
  const fs::path directory_;
  int version_ = 0;
};

class RotationTest : public ::testing::Test {
 protected:
  ServerOptions options() const {
    ServerOptions made;
    made.tls =
        ServerTls{secret_.file("tls.crt"), secret_.file("tls.key"), at("ca.crt"), Duration::zero()};
    return made;
  }

  std::unique_ptr<HttpClient> client(const RunningServer& running) const {
    ClientOptions made{.url = running.url("https")};
    made.timeout = kPatience;
    made.tls = ClientTls{.ca_file = at("ca.crt"),
                         .certificate_file = at("client.crt"),
                         .key_file = at("client.key")};
    return std::move(HttpClient::create(std::move(made))).value();
  }

  std::string at(const std::string& name) const { return directory_.file(name); }

  TemporaryDirectory directory_;
  Authority authority_{"test authority", at("ca.crt")};
  Secret secret_{authority_, at("secret")};
};

TEST_F(RotationTest, UnderLoadNoCallFailsAndNoConnectionIsDropped) {
  authority_.issue("kube-scheduler", at("client.crt"), at("client.key"));
  RunningServer running(echo, options());
  std::atomic<bool> is_over = false;
  std::atomic<int> calls = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      const auto kept = client(running);
      while (!is_over) {
        for (const auto& reply : {kept->get("/"), client(running)->get("/")}) {
          EXPECT_TRUE(reply) << reply.error().to_string();
        }
        ++calls;
      }
    });
  }
  for (int rotation = 0; rotation < 20; ++rotation) {
    secret_.rotate();
    const int before = calls;
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (calls < before + 3 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
  }
  is_over = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_GE(calls, 60);
  // Each caller has one that it keeps, and one for each call.
  EXPECT_EQ(running.server->counts().connections_accepted, static_cast<unsigned>(calls) + 3);
}

TEST_F(RotationTest, TheEndOfTheCertificateInUseIsKnown) {
  authority_.issue("kube-scheduler", at("client.crt"), at("client.key"));
  RunningServer plain(echo);
  EXPECT_EQ(plain.server->counts().certificate_expires, 0U);
  RunningServer running(echo, options());
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  EXPECT_GT(running.server->counts().certificate_expires, static_cast<std::uint64_t>(now));
}

}  // namespace
}  // namespace berth::http
