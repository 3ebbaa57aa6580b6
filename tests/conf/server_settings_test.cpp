#include "conf/server_settings.h"

#include <gtest/gtest.h>

#include <string>

#include "conf/sections.h"

namespace berth::conf::server_settings_test {
namespace {

Config good(const std::string& sections) {
  const Result<Config> config = with_sections(sections);
  EXPECT_TRUE(config.has_value()) << config.error().to_string();
  return config ? *config : Config();
}

std::string error_of(const std::string& sections) {
  const Result<Config> config = with_sections(sections);
  return config ? "" : config.error().to_string();
}

TEST(ServerSettings, reads_where_pages_are) {
  const Config standard = good("pages: {}\n");
  ASSERT_TRUE(standard.pages);
  EXPECT_EQ(standard.pages->address, "127.0.0.1");
  EXPECT_EQ(standard.pages->port, 8892);
  EXPECT_FALSE(standard.pages->tls);
  const Config config = good("pages: {address: \"::\", port: 1, tls: {certFile: a, keyFile: b}}\n");
  EXPECT_EQ(config.pages->address, "::");
  EXPECT_EQ(config.pages->port, 1);
  EXPECT_EQ(config.pages->tls->key_file, "b");
  EXPECT_EQ(error_of("pages: {tls: {certFile: a}}\n"),
            "c.yaml:3:14: pages.tls: `keyFile` is missing, expected a string");
  EXPECT_EQ(good("pages: {hosts: [Berth.example.com, berth]}\n").pages->hosts,
            (std::vector<std::string>{"berth.example.com", "berth"}));
  EXPECT_EQ(error_of("pages: {hosts: [\"a:80\"]}\n"),
            "c.yaml:3:17: pages.hosts[0]: \"a:80\" is no host name, expected one such as "
            "berth.example.com, without a port");
  EXPECT_NE(error_of("pages: {listen: x}\n").find("unknown key \"listen\" in pages"),
            std::string::npos);
}

TEST(ServerSettings, reads_the_account_of_kube_scheduler) {
  EXPECT_EQ(good("").view.account, (AccountName{"", "berth-kube-scheduler"}));
  EXPECT_EQ(good("view: {serviceAccount: a}\n").view.account, (AccountName{"", "a"}));
  EXPECT_EQ(good("view: {serviceAccount: b/a}\n").view.account, (AccountName{"b", "a"}));
  EXPECT_EQ(good("view: {serviceAccount: \"\"}\n").view.account, AccountName{});
  for (const char* bad : {"a/b/c", "/a", "a/", "A", "a b"}) {
    EXPECT_EQ(error_of("view: {serviceAccount: \"" + std::string(bad) + "\"}\n"),
              "c.yaml:3:24: view.serviceAccount: \"" + std::string(bad) +
                  "\" is no service account, expected NAME or NAMESPACE/NAME");
  }
}

TEST(ServerSettings, reads_how_many_pods_of_a_gang_have_an_event) {
  EXPECT_EQ(good("").view.scheduled_events, 16);
  EXPECT_EQ(good("view: {scheduledEvents: 0}\n").view.scheduled_events, 0);
  EXPECT_NE(error_of("view: {scheduledEvents: -1}\n").find("view.scheduledEvents"),
            std::string::npos);
}

TEST(ServerSettings, says_where_to_go_from_a_mode_that_is_gone) {
  for (const char* mode : {"candidates", "pin", "filter-only"}) {
    const std::string error = error_of("steering: {mode: " + std::string(mode) + "}\n");
    EXPECT_NE(error.find("mode \"" + std::string(mode) + "\" is gone, expected \"view\""),
              std::string::npos)
        << error;
  }
}

TEST(PageSettings, SwitchThePageOff) {
  EXPECT_TRUE(with_sections("")->page.enabled);
  EXPECT_FALSE(with_sections("page: {enabled: false}\n")->page.enabled);
  const auto refused = with_sections("page: {enabled: maybe}\n");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().to_string().find("page.enabled"), std::string::npos);
  EXPECT_FALSE(with_sections("page: {off: true}\n"));
}

}  // namespace
}  // namespace berth::conf::server_settings_test
