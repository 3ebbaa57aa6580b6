#include "curl/server.h"

#include <gtest/gtest.h>

namespace berth::curl {
namespace {

std::string authority_of(const std::string& address) {
  ServerOptions options;
  options.address = address;
  const auto server = Server::create(options);
  return server ? (*server)->authority() : server.error().to_string();
}

TEST(Server, IsNamedWithoutItsPath) {
  EXPECT_EQ(authority_of("https://a:6443/k8s/clusters/c"), "https://a:6443");
  EXPECT_EQ(authority_of("https://a"), "https://a:443");
  EXPECT_EQ(authority_of("http://a/x"), "http://a:80");
}

TEST(Server, RefusesAnAddressThatIsNone) {
  for (const char* address : {"", "https://", "ftp://a", "https://a?b", "https://a#b",
                              "https://user@a", "https://a:99999", "https://a b"}) {
    const std::string expected = address + std::string(*address == 0 ? "" : ": ") +
                                 "malformed address of a server; expected https://host:port/prefix";
    EXPECT_EQ(authority_of(address), expected);
  }
}

TEST(Server, HasTheAddressAsHostUnderAnotherName) {
  ServerOptions options;
  options.address = "https://10.0.0.1:6443";
  EXPECT_EQ((*Server::create(options))->host(), "");
  options.certificate_name = "kubernetes";
  EXPECT_EQ((*Server::create(options))->host(), "10.0.0.1:6443");
}

}  // namespace
}  // namespace berth::curl
