#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"
#include "http/browser_headers.h"
#include "http/host_header.h"

namespace berth::daemon::app_page_test {
namespace {

using Json = nlohmann::json;

class AppPageTest : public testing::Test {
 protected:
  std::unique_ptr<BerthdProcess> start(const std::string& manifests,
                                       const std::string& sections = "") {
    return std::make_unique<BerthdProcess>(
        std::vector<std::string>{"--embedded", directory_.write("all.yaml", manifests), "--config",
                                 directory_.write("berth.yaml", std::string(kSession) + sections)});
  }
  static Json state(BerthdProcess& berthd, const std::string& query = "") {
    const http::Reply reply = berthd.get("/page/state" + query);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return Json::parse(reply.body);
  }
  static std::string query_after(const Json& document) {
    return "?instance=" + document["instance"].get<std::string>() +
           "&after=" + std::to_string(document["version"].get<std::uint64_t>());
  }

  TemporaryDirectory directory_;
};

TEST_F(AppPageTest, PAGE2_ShowsTheClusterAndWhatChangesInIt) {
  const auto berthd = start(nodes_yaml(2, 4) + gang_yaml("g", 2, 1000));
  ASSERT_TRUE(berthd->says("job ml/g is Running")) << berthd->printed();
  Json document = state(*berthd);
  EXPECT_EQ(document["kind"], "PageState");
  EXPECT_EQ(document["set"]["cluster"][0]["leads"], true);
  EXPECT_EQ(document["set"]["nodes"].size(), 2U);
  ASSERT_EQ(document["set"]["jobs"].size(), 1U);
  EXPECT_EQ(document["set"]["jobs"][0][1], "ml/g");
  directory_.write("all.yaml",
                   nodes_yaml(2, 4) + gang_yaml("g", 2, 1000) + gang_yaml("h", 7, 1000));
  Json waiting;
  for (int i = 0; i < 100 && waiting.is_null(); ++i) {
    document = state(*berthd, query_after(document));
    EXPECT_EQ(document["whole"], false);
    for (const Json& job : document["set"].value("jobs", Json::array())) {
      if (job[1] == "ml/h" && job[10].contains("reason")) waiting = job;
    }
  }
  EXPECT_NE(waiting.dump().find("of 7 members could be placed"), std::string::npos) << waiting;
  EXPECT_GT(document["set"]["sessions"].size() + document["set"]["spans"].size(), 0U);
}

TEST_F(AppPageTest, PAGE9_ServesItsFiles) {
  const auto berthd = start(nodes_yaml(1, 4));
  ASSERT_TRUE(berthd->says("the page is at http://127.0.0.1:")) << berthd->printed();
  const http::Reply index = berthd->get("/page/");
  EXPECT_EQ(index.status, 200);
  EXPECT_EQ(index.header("content-type"), "text/html; charset=utf-8");
  EXPECT_FALSE(index.header("content-security-policy").empty());
  EXPECT_EQ(berthd->get("/page/app.js").status, 200);
  EXPECT_EQ(berthd->get("/page").header("location"), "page/");
  EXPECT_EQ(berthd->get("/page/../configz").status, 404);
}

TEST_F(AppPageTest, PAGE10_AllAnswersAreProtected) {
  for (const char* const ports : {"", "pages: {port: 0}\n"}) {
    const auto berthd = start(nodes_yaml(1, 4), ports);
    ASSERT_TRUE(berthd->says("the page is at http://")) << berthd->printed();
    const std::string printed = berthd->printed();
    const std::size_t end = printed.find("/page/", printed.find("the page is at http://"));
    const auto port =
        static_cast<std::uint16_t>(std::atoi(printed.c_str() + printed.rfind(':', end) + 1));
    using http::testing::reply_to_host;
    const std::string misdirected = reply_to_host(port, "evil.example", "/page/");
    EXPECT_EQ(misdirected.find("evil"), std::string::npos) << misdirected;
    for (const auto& [status, reply] :
         {std::pair(" 421 ", misdirected),
          std::pair(" 200 ", reply_to_host(port, "localhost", "/page/")),
          std::pair(" 308 ", reply_to_host(port, "localhost", "/page")),
          std::pair(" 200 ", reply_to_host(port, "localhost", "/page/state")),
          std::pair(" 400 ", reply_to_host(port, "localhost", "/page/state?after=x")),
          std::pair(" 404 ", reply_to_host(port, "localhost", "/page/x")),
          std::pair(" 400 ", reply_to_host(port, "localhost", "page"))}) {
      EXPECT_NE(reply.substr(0, reply.find('\r')).find(status), std::string::npos) << reply;
      for (const auto& [name, value] : http::browser_headers()) {
        EXPECT_NE(reply.find("\r\n" + name + ": " + value + "\r\n"), std::string::npos)
            << status << name;
      }
    }
  }
}

TEST_F(AppPageTest, PAGE3_ARequestThatWaitsDoesNotHoldUpTheEnd) {
  const auto berthd = start(nodes_yaml(1, 4));
  ASSERT_TRUE(berthd->says("leading with epoch")) << berthd->printed();
  state(*berthd);
  berthd->send_signal(SIGTERM);
  EXPECT_EQ(berthd->exit_code(), 0) << berthd->printed();
}

TEST_F(AppPageTest, CanBeSwitchedOff) {
  const auto berthd = start(nodes_yaml(1, 4), "page: {enabled: false}\n");
  ASSERT_TRUE(berthd->says("listening on port")) << berthd->printed();
  EXPECT_EQ(berthd->get("/page/").status, 404);
  EXPECT_EQ(berthd->get("/page/state").status, 404);
  EXPECT_FALSE(berthd->has_printed("the page is at"));
}

}  // namespace
}  // namespace berth::daemon::app_page_test
