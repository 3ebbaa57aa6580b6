#include "curl/failure.h"

#include <curl/curl.h>
#include <gtest/gtest.h>
#include <openssl/x509_vfy.h>

#include <algorithm>

#include "http/certificates.h"
#include "kubeapi/access.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/rest_client.h"

namespace berth::kubeapi {
namespace {

using http::testing::Authority;
using http::testing::TemporaryDirectory;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

// The error for a server with that TLS setting, without the server's address.
std::string failure_of(const Access& access) {
  auto client = RestClient::create(access);
  EXPECT_TRUE(client) << client.error().to_string();
  const Response response = (*client)->call({});
  const std::stop_token cancel;
  const Response stream = (*client)->stream({}, nullptr, cancel);
  EXPECT_EQ(response.status, 0);
  EXPECT_EQ(stream.error, response.error);
  const std::string server = access.server + ": ";
  EXPECT_TRUE(response.error.starts_with(server)) << response.error;
  return response.error.substr(std::min(server.size(), response.error.size()));
}

class Failure : public ::testing::Test {
 protected:
  std::string failure_with(const std::string& alternatives, const std::string& ca,
                           const std::string& server_name = {}) {
    authority_.issue("127.0.0.1", directory_.file("crt"), directory_.file("key"), alternatives);
    FakeServer server([](const Call&, Reply& reply) { reply.send(200, "{}"); },
                      {directory_.file("crt"), directory_.file("key")});
    Access access;
    access.server = server.url();
    access.ca.file = ca.empty() ? "" : directory_.file(ca);
    access.tls_server_name = server_name;
    return failure_of(access);
  }

  TemporaryDirectory directory_;
  Authority authority_{"ca", directory_.file("ca.crt")};
  Authority other_{"other", directory_.file("other.crt")};
  Authority namesake_{"ca", directory_.file("namesake.crt")};
};

TEST_F(Failure, API19SaysThatNobodyListens) {
  Access access;
  {
    FakeServer server([](const Call&, Reply&) {});
    access.server = server.url();
  }
  const std::string failure = failure_of(access);
  EXPECT_EQ(failure, "cannot connect (Connection refused), expected an API server there");
}

TEST_F(Failure, API19SaysThatAHostHasNoAddress) {
  Access access;
  access.server = "https://nowhere.invalid:6443";
  const std::string failure = failure_of(access);
  EXPECT_TRUE(failure.starts_with("no address is known for the host (")) << failure;
}

TEST_F(Failure, API19SaysThatTheAuthorityIsAnother) {
  const std::string given = "the server's certificate is not signed by the given CA, expected ";
  for (const char* ca : {"other.crt", "namesake.crt"}) {
    const std::string failure = failure_with("IP:127.0.0.1", ca);
    EXPECT_TRUE(failure.starts_with(given)) << failure;
  }
  const std::string failure = failure_with("IP:127.0.0.1", "");
  EXPECT_TRUE(failure.starts_with("the server's certificate is not signed by a CA of the system"))
      << failure;
}

TEST_F(Failure, API19SaysThatTheNameIsAnother) {
  EXPECT_EQ(failure_with("DNS:elsewhere", "ca.crt"),
            "the server's certificate is not for \"127.0.0.1\", expected this among its "
            "alternative names, or the name it has as tls-server-name");
  const std::string failure = failure_with("DNS:elsewhere", "ca.crt", "kubernetes");
  EXPECT_TRUE(failure.starts_with("the server's certificate is not for \"kubernetes\"")) << failure;
}

TEST_F(Failure, API19SaysThatNoTlsIsSpoken) {
  FakeServer server([](const Call&, Reply&) {});
  Access access;
  access.server = "https" + server.url().substr(4);
  const std::string failure = failure_of(access);
  EXPECT_EQ(failure,
            "the server there does not use TLS (wrong version number), expected the API server's "
            "TLS port");
}

TEST(FailureWords, KnowWhatTheLibrarySays) {
  const auto words = [](const char* library, int code = 0,
                        CURLcode failed = CURLE_SSL_CONNECT_ERROR) {
    return curl::explain_failure(failed, library, 0, {"host", true, code});
  };
  EXPECT_EQ(words("OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate "
                  "required, errno 0",
                  0, CURLE_RECV_ERROR),
            "the server refuses our client certificate, or requires one (tlsv13 alert "
            "certificate required), expected client-certificate of a user it knows");
  const char* const refused = "error:0A000086:SSL routines::certificate verify failed";
  EXPECT_EQ(words(refused, X509_V_ERR_CERT_HAS_EXPIRED),
            "the server's certificate has expired, expected one that is valid now");
  EXPECT_EQ(words(refused, X509_V_ERR_CERT_NOT_YET_VALID),
            "the server's certificate is not valid yet, expected one that is; are both clocks "
            "right?");
  EXPECT_EQ(words(refused, X509_V_ERR_INVALID_CA),
            "the server's certificate was refused: invalid CA certificate");
  EXPECT_EQ(words("Recv failure: Connection reset by peer", 0, CURLE_RECV_ERROR),
            "Recv failure: Connection reset by peer");
}

}  // namespace
}  // namespace berth::kubeapi
