#include <fstream>
#include <iterator>

#include "proxy/proxy_fixture.h"

namespace berth::proxy {
namespace {

using namespace testing;
using http::testing::Authority;

class UpstreamTlsTest : public ProxyTest {
 protected:
  UpstreamTlsTest() { authority_.issue("api", file("api.crt"), file("api.key"), "DNS:berth.test"); }

  TestUpstream::Handler echo() const {
    return [](const Received& request, Answering& answering) {
      answering.answer(request.header("host") + " " + request.header("authorization"));
    };
  }

  UpstreamTls tls() const { return {file("api.crt"), file("api.key")}; }

  int status_with(const Upstream& upstream) {
    Options made = options("");
    made.upstream = upstream;
    start(made);
    const auto caller = client();
    Call& call = caller->get("/");
    EXPECT_TRUE(caller->run());
    body_ = call.body;
    return call.status;
  }

  std::string ca() const {
    std::ifstream in(file("ca.crt"));
    return {std::istreambuf_iterator<char>(in), {}};
  }

  Authority authority_{"authority", file("ca.crt")};
  std::string body_;
};

TEST_F(UpstreamTlsTest, VIEW8TheCallersTokenGoesUpAndNoCertificateOfOurs) {
  authority_.issue("api", file("api.crt"), file("api.key"), "IP:127.0.0.1");
  TestUpstream upstream(echo(), tls());
  Options made = options(upstream.url());
  made.upstream.ca_file = file("ca.crt");
  start(made);
  const auto caller = client();  // it presents a certificate itself
  Call& get = caller->get("/", {{"authorization", "Bearer of-the-caller"}});
  Call& post = caller->post("/", "x", {{"authorization", "Bearer of-the-caller"}});
  ASSERT_TRUE(caller->run());
  const std::string host = upstream.url().substr(8);
  EXPECT_EQ(get.body, host + " Bearer of-the-caller");
  EXPECT_EQ(post.body, host + " Bearer of-the-caller");
  const auto requests = upstream.requests();
  ASSERT_EQ(requests.size(), 2U);
  for (const Received& request : requests) EXPECT_FALSE(request.has_certificate);
}

TEST_F(UpstreamTlsTest, TheNameInTheCertificateMayDifferFromTheAddress) {
  TestUpstream upstream(echo(), tls());
  const std::string url = upstream.url();
  EXPECT_EQ(status_with({.server = url, .ca_file = file("ca.crt"), .server_name = "berth.test"}),
            200);
  EXPECT_EQ(body_, url.substr(8) + " ") << "the Host header stays the address";
  EXPECT_EQ(status_with({.server = url, .ca_file = file("ca.crt")}), 502);
  EXPECT_EQ(status_with({.server = url, .ca_file = file("ca.crt"), .server_name = "other.test"}),
            502);
}

TEST_F(UpstreamTlsTest, OnlyTheGivenAuthorityIsTrusted) {
  TestUpstream upstream(echo(), tls());
  const std::string url = upstream.url();
  const std::string name = "berth.test";
  EXPECT_EQ(status_with({.server = url, .ca_data = ca(), .server_name = name}), 200);
  EXPECT_EQ(status_with({.server = url, .ca_file = file("view.crt"), .server_name = name}), 502);
  EXPECT_EQ(status_with({.server = url, .server_name = name}), 502) << "the system's";
  EXPECT_EQ(status_with({.server = url, .skip_verification = true}), 200);
}

TEST_F(UpstreamTlsTest, AMissingFileOfAuthoritiesStopsTheStart) {
  NoInterceptor interceptor;
  Options made = options("https://127.0.0.1:1");
  made.upstream.ca_file = file("missing");
  const auto proxy = Proxy::create(made, interceptor);
  ASSERT_FALSE(proxy);
  EXPECT_EQ(proxy.error().to_string(),
            file("missing") + ": cannot be read: No such file or directory");
}

}  // namespace
}  // namespace berth::proxy
