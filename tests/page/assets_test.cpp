#include "page/assets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth::page::assets_test {
namespace {

const Asset* find(std::string_view name) {
  for (const Asset& asset : assets()) {
    if (asset.name == name) return &asset;
  }
  return nullptr;
}

std::string header(const http::Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(AssetsTest, ThePageIsPartOfTheProgram) {
  for (const char* name : {"index.html", "app.js", "style.css", "licences.txt"}) {
    ASSERT_NE(find(name), nullptr) << name;
    EXPECT_FALSE(find(name)->bytes.empty()) << name;
  }
}

TEST(AssetsTest, PAGE9_TheIndexNamesFilesByTheirContent) {
  const std::string_view index = find("index.html")->bytes;
  for (const char* name : {"app.js", "style.css"}) {
    const std::string wanted = std::string(name) + "?" + std::string(find(name)->hash);
    EXPECT_NE(index.find(wanted), std::string_view::npos) << wanted;
  }
}

TEST(AssetsTest, PAGE9_AFileIsSentAsItIsWanted) {
  const Asset& asset = *find("app.js");
  http::Request request;
  http::Response response = answer_of(asset, request);
  EXPECT_EQ(response.body, asset.bytes);
  EXPECT_EQ(header(response, "Content-Encoding"), "");
  EXPECT_EQ(header(response, "Cache-Control"), "private, no-cache");
  request.accept_encoding = "br, gzip";
  response = answer_of(asset, request);
  EXPECT_EQ(response.body, asset.compressed);
  EXPECT_EQ(response.body.substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(header(response, "Content-Encoding"), "gzip");
  request.query = asset.hash;
  response = answer_of(asset, request);
  EXPECT_NE(header(response, "Cache-Control").find("immutable"), std::string::npos);
  request.if_none_match = header(response, "ETag");
  response = answer_of(asset, request);
  EXPECT_EQ(response.status, 304);
  EXPECT_TRUE(response.body.empty());
}

TEST(AssetsTest, PAGE9_ThePageIsSmall) {
  std::size_t bytes = 0;
  for (const Asset& asset : assets()) bytes += asset.compressed.size();
  EXPECT_LT(bytes, 300'000U);
}

TEST(AssetsTest, PAGE10_NoInlineCode) {
  EXPECT_EQ(find("index.html")->bytes.find("<script>"), std::string_view::npos);
  EXPECT_EQ(find("index.html")->bytes.find("<style"), std::string_view::npos);
}

}  // namespace
}  // namespace berth::page::assets_test
