#include "daemon/servers.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>

#include <algorithm>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/page_access.h"
#include "daemon/temporary_directory.h"
#include "http/certificates.h"
#include "http/host_header.h"

namespace berth::daemon {
namespace {

using http::testing::answer_to_host;
using http::testing::Authority;

const std::vector<std::string> kProbes{"/healthz", "/livez", "/readyz"};
const std::vector<std::string> kPages{"/metrics",  "/queues",  "/reservations", "/evictions",
                                      "/snapshot", "/configz", "/version",      "/page/"};
const std::vector<std::string> kVerbs{"/plan/filter", "/plan/prioritize", "/commit/bind",
                                      "/guard/preempt"};

class ServersTest : public testing::Test {
 protected:
  std::unique_ptr<BerthdProcess> start(const std::vector<std::string>& further) const {
    std::vector<std::string> arguments{"--embedded", directory_.write("n.yaml", nodes_yaml(1, 4))};
    arguments.insert(arguments.end(), further.begin(), further.end());
    auto berthd = std::make_unique<BerthdProcess>(arguments);
    EXPECT_TRUE(berthd->says("listening on port ")) << berthd->printed();
    return berthd;
  }

  static std::uint16_t pages_port(BerthdProcess& berthd) {
    const std::string words = "pages at port ";
    EXPECT_TRUE(berthd.says(words)) << berthd.printed();
    const std::string text = berthd.printed();
    return static_cast<std::uint16_t>(std::atoi(text.c_str() + text.find(words) + words.size()));
  }

  static int status(const http::ClientOptions& options, const std::string& path,
                    const std::string& method = "GET") {
    const auto client = http::HttpClient::create(options);
    EXPECT_TRUE(client);
    auto reply = (*client)->exchange(method, path, "application/json", "");
    EXPECT_TRUE(reply) << path << ": " << reply.error().to_string();
    return reply ? reply->status : 0;
  }

  static http::ClientOptions at(std::uint16_t port) {
    http::ClientOptions options{.url = "http://127.0.0.1:" + std::to_string(port)};
    options.timeout = BerthdProcess::kPatience;
    return options;
  }

  static bool is_ready(const http::ClientOptions& options, BerthdProcess& berthd) {
    return berthd.eventually([&] { return status(options, "/readyz") == 200; });
  }

  static void expect_apart(BerthdProcess& berthd) {
    const http::ClientOptions extender = at(berthd.port());
    const http::ClientOptions pages = at(pages_port(berthd));
    ASSERT_TRUE(is_ready(pages, berthd));
    for (const auto* paths : {&kProbes, &kPages}) {
      for (const std::string& path : *paths) {
        EXPECT_EQ(status(pages, path), 200) << path;
        EXPECT_EQ(status(extender, path), 404) << path;
      }
    }
    for (const std::string& path : kVerbs) {
      EXPECT_EQ(status(pages, path, "POST"), 404) << path;
      EXPECT_EQ(status(extender, path, "POST"), 400) << path << ", of which the body is missing";
    }
  }

  // A configuration with these sections.
  std::string configuration(const std::string& sections) const {
    return directory_.write("berth.yaml",
                            "actions: allocate\ntiers: [{plugins: [{name: gang}]}]\n" + sections);
  }

  TemporaryDirectory directory_;
};

TEST_F(ServersTest, ByAFlagPagesAndVerbsHavePortsOfTheirOwn) {
  const auto berthd = start({"--pages", "127.0.0.1:0"});
  expect_apart(*berthd);
}

TEST_F(ServersTest, ByTheConfigurationPagesAndVerbsHavePortsOfTheirOwn) {
  const auto berthd = start({"--config", configuration("pages: {port: 0}\n")});
  expect_apart(*berthd);
}

TEST_F(ServersTest, WithoutEitherOnePortHasBoth) {
  const auto berthd = start({});
  const http::ClientOptions both = at(berthd->port());
  ASSERT_TRUE(is_ready(both, *berthd));
  EXPECT_EQ(status(both, "/metrics"), 200);
  EXPECT_EQ(status(both, "/plan/filter", "POST"), 400);
}

// A caller with the token "known" may get /queues alone.
struct Directory final : ports::Callers {
  void ask(const std::string& token, const std::string& path, Done done) override {
    ++asked;
    if (token != "known") return done({401, "unknown"});
    done({path == "/queues" ? 200 : 403, "not this"});
  }
  int asked = 0;
};

int status_by(const http::Handler& handler, const http::Request& request) {
  struct Exchange : http::Responder::Exchange {
    void answer(http::Response response) override { status = response.status; }
    void on_disconnect(std::function<void()>) override {}
    int status = 0;
  };
  const auto exchange = std::make_shared<Exchange>();
  handler(request, http::Responder(exchange));
  return exchange->status;
}

// The status of the answer to such a request for a page with names.
int status_of(const http::Request& request, ports::Callers* callers = nullptr,
              bool knows_clients = false) {
  const auto answer = [](const http::Request&, http::Responder responder) { responder.answer({}); };
  return status_by(
      knows_clients ? for_known_clients(answer, callers) : for_trusted(answer, callers), request);
}

TEST_F(ServersTest, PagesWithNamesAreForLocalRequestsAndHoldersOfACertificate) {
  EXPECT_EQ(status_of({.is_local = true}), 200);
  EXPECT_EQ(status_of({.peer_name = "prometheus"}), 200);
  EXPECT_EQ(status_of({}), 403);
}

http::Request with_token(const std::string& authorization, const std::string& path = "/queues") {
  http::Request request;
  request.path = path;
  request.authorization = authorization;
  request.is_encrypted = true;
  return request;
}

TEST_F(ServersTest, PagesWithNamesAreForBearersOfTokensThatMay) {
  Directory directory;
  for (const bool knows_clients : {false, true}) {
    EXPECT_EQ(status_of(with_token("Bearer known"), &directory, knows_clients), 200);
    EXPECT_EQ(status_of(with_token("bEARER  known "), &directory, knows_clients), 200);
    EXPECT_EQ(status_of(with_token("Bearer known", "/starts"), &directory, knows_clients), 403);
    EXPECT_EQ(status_of(with_token("Bearer other"), &directory, knows_clients), 401);
  }
}

TEST_F(ServersTest, NobodyIsAskedAboutATokenThatOthersCanRead) {
  Directory directory;
  http::Request request = with_token("Bearer known");
  request.is_encrypted = false;
  EXPECT_EQ(status_of(request, &directory), 403);
  for (const char* const odd : {"", "Bearer", "Bearer ", "Basic a25vd24=", "known"}) {
    EXPECT_EQ(status_of(with_token(odd), &directory), 403) << odd;
  }
  EXPECT_EQ(status_of(with_token("Bearer known")), 403);  // there is nobody to ask
  EXPECT_EQ(directory.asked, 0);
}

TEST_F(ServersTest, PAGE15_NamesThatOthersCanPointHereAreRefused) {
  const std::vector<std::string> hosts{"berth.example.com"};
  for (const char* const host : {"", "127.0.0.1", "127.0.0.1:8892", "10.0.0.7:8892", "[::1]:8892",
                                 "localhost:8892", "LOCALHOST", "berthd", "berth.berth-system.svc",
                                 "berth.berth-system.svc.cluster.local:8892", "berth.localhost:1",
                                 "berth.example.com", "Berth.Example.com.:80"}) {
    EXPECT_TRUE(is_our_host(host, hosts)) << host;
  }
  for (const char* const host :
       {"evil.example:8892", "127.0.0.1.evil.example", "example.com", "x.berth.example.com",
        "berth.svc.evil.example", "1.2.3.4x.com", "localhost.evil.example"}) {
    EXPECT_FALSE(is_our_host(host, hosts)) << host;
  }
  const http::Handler handler = for_our_hosts(
      [](const http::Request&, http::Responder responder) { responder.answer({}); }, hosts);
  EXPECT_EQ(status_by(handler, {.method = "GET", .host = "evil.example"}), 421);
  EXPECT_EQ(status_by(handler, {.method = "GET", .host = "berth.example.com"}), 200);
  EXPECT_EQ(status_by(handler, {.method = "GET", .host = "evil.example", .is_encrypted = true}),
            200);
  EXPECT_EQ(status_by(handler, {.method = "POST", .host = "kube.example"}), 200);
}

TEST_F(ServersTest, PAGE15_BothLayoutsOfPortsRefuseSuchNames) {
  const auto both = start({"--config", configuration("page: {enabled: true}\n")});
  EXPECT_NE(answer_to_host(both->port(), "evil.example", "/version").find(" 421 "),
            std::string::npos);
  const auto apart =
      start({"--config", configuration("pages: {port: 0, hosts: [Ours.example]}\n")});
  const std::uint16_t port = pages_port(*apart);
  EXPECT_NE(answer_to_host(port, "evil.example", "/version").find(" 421 "), std::string::npos);
  EXPECT_NE(answer_to_host(port, "ours.example", "/version").find(" 200 "), std::string::npos);
}

// A null viewer sees all names.
TEST_F(ServersTest, APageByNamespaceKnowsItsViewer) {
  struct Someone final : ports::Viewer {
    void see(std::set<std::string>, Done done) override { done(nullptr); }
  };
  struct Clerk final : ports::Callers {
    void ask(const std::string& token, const std::string&, Done done) override {
      done({200, "", token == "ada" ? viewer : nullptr});
    }
    std::shared_ptr<ports::Viewer> viewer = std::make_shared<Someone>();
  };
  struct Nothing final : http::Responder::Exchange {
    void answer(http::Response) override {}
    void on_disconnect(std::function<void()>) override {}
  };
  Clerk clerk;
  ViewerOrAll viewer;
  const http::Handler handler = for_viewers(
      [&](const http::Request&, http::Responder, const ViewerOrAll& found) { viewer = found; },
      &clerk);
  const auto viewer_of = [&](const http::Request& request) {
    handler(request, http::Responder(std::make_shared<Nothing>()));
    return viewer;
  };
  EXPECT_EQ(viewer_of(with_token("Bearer ada")), clerk.viewer);
  EXPECT_EQ(viewer_of({.is_local = true}), nullptr) << "sees all";
  http::Request at_loopback = with_token("Bearer ada");
  at_loopback.is_local = true;
  EXPECT_EQ(viewer_of(at_loopback), clerk.viewer);
  EXPECT_EQ(viewer_of({.peer_name = "prometheus"}), nullptr);
  const ViewerOrAll blind = viewer_of(with_token("Bearer eve"));
  ASSERT_NE(blind, nullptr);
  blind->see({"ml"}, [](const auto& seen) {
    EXPECT_FALSE(seen->is_all);
    EXPECT_TRUE(seen->names.empty());
  });
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* all = nullptr;
  EXPECT_EQ(getifaddrs(&all), 0);
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN];
    const auto* const address = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
    addresses.emplace_back(inet_ntop(AF_INET, &address->sin_addr, text, sizeof text));
  }
  freeifaddrs(all);
  return addresses;
}

// As in a pod: the port is open to the network. PAGE-12
TEST_F(ServersTest, FromTheNetworkOnlyProbesAndMetricsAreAnswered) {
  for (const bool has_own_port : {true, false}) {
    const auto berthd =
        has_own_port ? start({"--pages", "0.0.0.0:0"}) : start({"--listen", "0.0.0.0:0"});
    const std::uint16_t port = has_own_port ? pages_port(*berthd) : berthd->port();
    ASSERT_TRUE(is_ready(at(port), *berthd));
    std::vector<std::string> addresses = own_addresses();
    EXPECT_NE(std::find(addresses.begin(), addresses.end(), "127.0.0.1"), addresses.end());
    for (const std::string& address : addresses) {
      http::ClientOptions options = at(port);
      options.url = "http://" + address + ":" + std::to_string(port);
      const int of_names = address.starts_with("127.") ? 200 : 403;
      for (const char* path : {"/queues", "/reservations", "/evictions", "/snapshot", "/configz",
                               "/page/", "/page/state"}) {
        EXPECT_EQ(status(options, path), of_names) << address << path;
      }
      for (const char* path : {"/healthz", "/livez", "/readyz", "/metrics"}) {
        EXPECT_EQ(status(options, path), 200) << address << path;
      }
    }
  }
}

TEST_F(ServersTest, MetricsCountTheConnectionsThatEitherPortDisplaced) {
  constexpr int kSlotsOfPages = 256;
  const auto berthd =
      start({"--config", configuration("extender: {maxConnections: 1}\npages: {port: 0}\n")});
  const http::ClientOptions extender = at(berthd->port());
  const http::ClientOptions pages = at(pages_port(*berthd));
  std::vector<std::unique_ptr<http::HttpClient>> idle;
  const auto call = [&](const http::ClientOptions& options) {
    idle.push_back(std::move(http::HttpClient::create(options)).value());
    return idle.back()->get("/metrics");
  };
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(call(extender));
  for (int i = 0; i < kSlotsOfPages; ++i) ASSERT_TRUE(call(pages));
  const std::string displaced = "berth_state{what=\"http_connections_displaced\"} 2\n";
  // On a slow machine, one of those may have ended before the last came.
  auto metrics = call(pages);
  for (int i = 0; i < 8 && metrics && metrics->body.find(displaced) == std::string::npos; ++i) {
    metrics = call(pages);
  }
  ASSERT_TRUE(metrics);
  const std::string refused = "berth_state{what=\"http_connections_refused\"} 0\n";
  for (const std::string& series : {displaced, refused}) {
    EXPECT_NE(metrics->body.find(series), std::string::npos) << metrics->body;
  }
}

TEST_F(ServersTest, WithMutualTlsProbesNeedNoCertificateAndPagesDo) {
  const Authority authority("authority", directory_.file("ca.crt"));
  authority.issue("berthd", directory_.file("tls.crt"), directory_.file("tls.key"));
  authority.issue("prometheus", directory_.file("client.crt"), directory_.file("client.key"));
  const auto berthd =
      start({"--config",
             configuration("pages:\n  port: 0\n  tls: {certFile: " + directory_.file("tls.crt") +
                           ", keyFile: " + directory_.file("tls.key") +
                           ", clientCAFile: " + directory_.file("ca.crt") + "}\n")});
  http::ClientOptions kubelet = at(pages_port(*berthd));
  kubelet.url = "https" + kubelet.url.substr(4);
  kubelet.tls = http::ClientTls{.ca_file = directory_.file("ca.crt")};
  http::ClientOptions prometheus = kubelet;
  prometheus.tls->certificate_file = directory_.file("client.crt");
  prometheus.tls->key_file = directory_.file("client.key");
  ASSERT_TRUE(is_ready(kubelet, *berthd));
  for (const std::string& path : kProbes) EXPECT_EQ(status(kubelet, path), 200) << path;
  for (const std::string& path : kPages) {
    EXPECT_EQ(status(kubelet, path), 403) << path;
    EXPECT_EQ(status(prometheus, path), 200) << path;
  }
  EXPECT_EQ(status(kubelet, "/nowhere"), 403);
  EXPECT_EQ(status(prometheus, "/nowhere"), 404);
  const auto metrics = (*http::HttpClient::create(prometheus))->get("/metrics");
  ASSERT_TRUE(metrics);
  for (const char* series : {"berth_certificate_load_failures_total{server=\"pages\"} 0",
                             "berth_certificate_expires_seconds{server=\"pages\"}"}) {
    EXPECT_NE(metrics->body.find(series), std::string::npos) << series;
  }
}

TEST_F(ServersTest, TheFlagsCountBeforeTheConfiguration) {
  Flags flags;
  conf::Config config;
  config.pages = conf::PagesSettings{};
  auto where = Listening::of(flags, config);
  ASSERT_TRUE(where);
  EXPECT_EQ(where->extender.port, 8890);
  EXPECT_EQ(where->pages->port, 8892);
  EXPECT_EQ(where->pages->address, "127.0.0.1");
  flags.listen = "127.0.0.2:1";
  flags.pages = "0.0.0.0:2";
  where = Listening::of(flags, config);
  ASSERT_TRUE(where);
  EXPECT_EQ(where->extender.port, 1);
  EXPECT_EQ(where->pages->address, "0.0.0.0");
  flags.pages = "8892";
  where = Listening::of(flags, config);
  ASSERT_FALSE(where);
  EXPECT_EQ(where.error().to_string(),
            "--pages: \"8892\" is not an endpoint; expected ADDRESS:PORT");
}

}  // namespace
}  // namespace berth::daemon
