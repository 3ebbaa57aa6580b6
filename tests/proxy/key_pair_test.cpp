#include "proxy/key_pair.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include "http/certificates.h"

namespace berth::proxy {
namespace {

using http::testing::Authority;
using http::testing::TemporaryDirectory;

std::string content_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

unsigned mode_of(const std::string& file) {
  struct stat found = {};
  EXPECT_EQ(stat(file.c_str(), &found), 0) << file;
  return found.st_mode & 07777U;
}

std::unique_ptr<X509, decltype(&X509_free)> certificate_in(const std::string& file) {
  std::FILE* const in = std::fopen(file.c_str(), "r");
  EXPECT_NE(in, nullptr);
  X509* const made = PEM_read_X509(in, nullptr, nullptr, nullptr);
  std::fclose(in);
  return {made, X509_free};
}

TEST(KeyPairTest, IsItsOwnAuthorityForServerAndClientsOnLoopback) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(make_key_pair(directory.file(".")));
  const auto certificate = certificate_in(directory.file("view.crt"));
  ASSERT_NE(certificate, nullptr);
  EXPECT_EQ(X509_check_purpose(certificate.get(), X509_PURPOSE_SSL_SERVER, 0), 1);
  EXPECT_EQ(X509_check_purpose(certificate.get(), X509_PURPOSE_SSL_CLIENT, 0), 1);
  EXPECT_EQ(X509_check_ca(certificate.get()), 1);
  EXPECT_EQ(X509_verify(certificate.get(), X509_get0_pubkey(certificate.get())), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_host(certificate.get(), "localhost", 0, 0, nullptr), 1);
  EXPECT_NE(X509_check_host(certificate.get(), "elsewhere", 0, 0, nullptr), 1);
  int days = 0;
  int seconds = 0;
  ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate.get()));
  EXPECT_GT(days, 3650);
}

TEST(KeyPairTest, StaysWhenItIsMadeAgain) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(make_key_pair(directory.file(".")));
  const std::string key = content_of(directory.file("view.key"));
  const std::string certificate = content_of(directory.file("view.crt"));
  ASSERT_TRUE(make_key_pair(directory.file(".")));
  EXPECT_EQ(content_of(directory.file("view.key")), key);
  EXPECT_EQ(content_of(directory.file("view.crt")), certificate);
}

TEST(KeyPairTest, IsReplacedWhenItIsTornOrExpires) {
  const TemporaryDirectory directory;
  const Authority authority("view", directory.file("ca.crt"));
  authority.issue("view", directory.file("view.crt"), directory.file("view.key"));
  const std::string of_an_hour = content_of(directory.file("view.crt"));
  ASSERT_TRUE(make_key_pair(directory.file(".")));
  const std::string fresh = content_of(directory.file("view.crt"));
  EXPECT_NE(fresh, of_an_hour);

  std::ofstream(directory.file("view.key")) << "half a k";
  ASSERT_TRUE(make_key_pair(directory.file(".")));
  EXPECT_NE(content_of(directory.file("view.crt")), fresh);
}

TEST(KeyPairTest, IsReadableByAGroupThatMayReadTheDirectory) {
  const TemporaryDirectory directory;
  ASSERT_EQ(chmod(directory.file(".").c_str(), 0700), 0);
  ASSERT_TRUE(make_key_pair(directory.file(".")));
  EXPECT_EQ(mode_of(directory.file("view.key")), 0600U);
  std::remove(directory.file("view.key").c_str());
  ASSERT_EQ(chmod(directory.file(".").c_str(), 0750), 0);
  ASSERT_TRUE(make_key_pair(directory.file(".")));
  EXPECT_EQ(mode_of(directory.file("view.key")), 0640U);
}

TEST(KeyPairTest, IsNotWrittenThroughALinkOfAnother) {
  const TemporaryDirectory directory;
  std::ofstream(directory.file("precious")) << "text";
  ASSERT_EQ(symlink(directory.file("precious").c_str(), directory.file("view.key.new").c_str()), 0);
  ASSERT_TRUE(make_key_pair(directory.file(".")));
  EXPECT_EQ(content_of(directory.file("precious")), "text");
}

TEST(KeyPairTest, NeedsADirectory) {
  const TemporaryDirectory directory;
  const Status made = make_key_pair(directory.file("missing"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().to_string(),
            directory.file("missing") + ": cannot be read: No such file or directory");
}

}  // namespace
}  // namespace berth::proxy
