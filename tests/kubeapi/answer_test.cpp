#include "kubeapi/answer.h"

#include <gtest/gtest.h>

#include "kubeapi/fake_server.h"
#include "kubeapi/rest_client.h"

namespace berth::kubeapi {
namespace {

using testing::Call;
using testing::FakeServer;
using testing::Reply;

constexpr const char* kHtml = "Content-Type: text/html; charset=utf-8";
constexpr const char* kPage = "<html>\n<body>please log in</body></html>";

TEST(Answer, IsForeignWhenItIsASuccessOfAnotherType) {
  const auto is_foreign_with = [](int status, const char* type) {
    return is_foreign({status, std::nullopt, type}, Format::json);
  };
  EXPECT_TRUE(is_foreign_with(200, "text/html"));
  EXPECT_TRUE(is_foreign_with(201, "Text/Plain; charset=utf-8"));
  EXPECT_FALSE(is_foreign_with(200, "application/json"));
  EXPECT_FALSE(is_foreign_with(200, "Application/JSON;stream=watch"));
  EXPECT_FALSE(is_foreign_with(200, "application/merge-patch+json"));
  EXPECT_FALSE(is_foreign_with(200, ""));
  EXPECT_FALSE(is_foreign_with(204, "text/plain"));
  EXPECT_FALSE(is_foreign_with(404, "text/plain"));
}

TEST(Answer, IsForeignWhenProtobufWasAskedForAndAnotherTypeCame) {
  const auto is_foreign_with = [](int status, const char* type) {
    return is_foreign({status, std::nullopt, type}, Format::protobuf);
  };
  EXPECT_FALSE(is_foreign_with(200, "application/vnd.kubernetes.protobuf;stream=watch"));
  EXPECT_TRUE(is_foreign_with(200, "application/json"));
  EXPECT_TRUE(is_foreign_with(200, ""));
  EXPECT_FALSE(is_foreign_with(403, "application/json"));
}

TEST(Answer, IsShownByItsFirstCharactersOnOneLine) {
  EXPECT_EQ(first_characters(" a\nb\x01"), "\"a b \"");
  EXPECT_EQ(first_characters(std::string(81, 'x')), "\"" + std::string(80, 'x') + "...\"");
  EXPECT_EQ(first_characters(std::string(79, 'x') + "\xC3\xA9y"),
            "\"" + std::string(79, 'x') + "...\"");
  EXPECT_EQ(not_expected(Format::json, "text/html", " "),
            "expected JSON, got text/html without a body");
}

TEST(Answer, API20ThatIsNoJsonIsNoAnswer) {
  FakeServer server([](const Call&, Reply& reply) { reply.send(200, kPage, kHtml); });
  Access access;
  access.server = server.url();
  const auto client = std::move(*RestClient::create(access));
  const std::string expected =
      server.url() +
      ": expected JSON, got text/html that begins \"<html> <body>please log in</body></html>\"";
  const Response response = client->call({});
  EXPECT_EQ(response.status, 0);
  EXPECT_EQ(response.error, expected);
  const std::stop_token cancel;
  const auto no_line = [](std::string_view line) { ADD_FAILURE() << line; };
  EXPECT_EQ(client->stream({}, no_line, cancel).error, expected);
}

TEST(Answer, OfFailureThatIsNoJsonIsShownByItsBeginning) {
  Response response;
  response.status = 502;
  response.body = kPage;
  EXPECT_EQ(response.to_string(), "status 502: \"<html> <body>please log in</body></html>\"");
}

}  // namespace
}  // namespace berth::kubeapi
