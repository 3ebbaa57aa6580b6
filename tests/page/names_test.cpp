#include "page/names.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "page/texts.h"

namespace berth::page::names_test {
namespace {

using ports::SeenNamespaces;

std::string shown(const std::string& marked, const SeenNamespaces* seen = nullptr) {
  std::string text;
  append_shown(text, marked, seen);
  return nlohmann::json::parse(text).dump();
}

std::string message(std::string_view name_space, std::string_view text) {
  std::string marked;
  append_message(marked, name_space, text);
  return marked;
}

TEST(NamesTest, PAGE14_ANameIsShownToThoseWhoMaySeeItsNamespace) {
  std::string marked;
  append_name(marked, "ml", "ml/\"a\"\n");
  EXPECT_EQ(shown(marked), R"("ml/\"a\"\n")");
  const SeenNamespaces all{true};
  EXPECT_EQ(shown(marked, &all), R"("ml/\"a\"\n")");
  const SeenNamespaces ml{false, {"ml"}};
  EXPECT_EQ(shown(marked, &ml), R"("ml/\"a\"\n")");
  const SeenNamespaces others{false, {"m", "ml2", ""}};
  EXPECT_EQ(shown(marked, &others), R"("a job of another namespace")");
}

TEST(NamesTest, PAGE14_AMessageIsHiddenWithItsObject) {
  const std::string marked = message("ml", "its pod ml/a-1 waits for web/b-2");
  EXPECT_EQ(shown(marked), R"("its pod ml/a-1 waits for web/b-2")");
  const SeenNamespaces ml{false, {"ml"}};
  EXPECT_EQ(shown(marked, &ml), R"("its pod ml/a-1 waits for a job of another namespace")");
  const SeenNamespaces web{false, {"web"}};
  EXPECT_EQ(shown(marked, &web), R"("")");
}

TEST(NamesTest, PAGE14_NamesWithinMessagesAreFound) {
  const SeenNamespaces none{false, {"ml"}};
  const auto is_hidden = [&](const std::string& text) {
    return shown(message("ml", text), &none).find("secret") == std::string::npos;
  };
  for (const char* const text :
       {"secret/x", "for secret/x.", "(secret/x)", "\"secret/x\"", "ml/a, secret/x: b",
        "\tsecret/x", "\nsecret/0", "x=secret/x", "0/secret-1", "b/secret.v1.2",
        "\xff"
        "b/secret"}) {
    EXPECT_TRUE(is_hidden(text)) << text;
  }
  EXPECT_EQ(shown(message("ml", "for 2024/7, 0/8 nodes fit"), &none),
            R"("for a job of another namespace, 0/8 nodes fit")");
  for (const char* const text : {"4/8 nodes, secret", "nvidia.com/secret", "ml/secret",
                                 "rdma/secret_device", "a/secret/c"}) {
    EXPECT_FALSE(is_hidden(text)) << text;
  }
}

TEST(NamesTest, PAGE14_NamespacesAreThoseOfObjectsAndNotOfWordsOfUsers) {
  std::set<std::string> spaces;
  JobPart job;
  job.id = 1;
  job.name = "ml/a";
  job.queue = "q";
  job.reason = "gang_incomplete";
  job.message = "behind web/b";
  add_namespaces(spaces, text_of(job));
  EXPECT_EQ(spaces, std::set<std::string>{"ml"});
  EvictionRecord eviction;
  eviction.pod = "ml/a-1";
  eviction.job = "ml/a";
  eviction.claimant = "web/b";
  add_namespaces(spaces, text_of(1, eviction));
  EXPECT_EQ(spaces, (std::set<std::string>{"ml", "web"}));
}

// Each kind of item that names something, as others see it.
TEST(NamesTest, PAGE14_NoItemNamesWhatOthersMayNotSee) {
  JobPart job;
  job.name = "ml/secret";
  job.reason = "gang_incomplete";
  job.message = "0/4 nodes fit ml/secret-1";
  job.target_why = "secret";
  EvictionRecord eviction;
  eviction.pod = "ml/secret-1";
  eviction.job = "ml/secret";
  eviction.claimant = "ml/secret";
  eviction.why = "by preempt for ml/secret";
  views::ReservationTable::Row target;
  target.job = "ml/secret";
  target.why = "secret";
  target.queue = "research";
  const SeenNamespaces web{false, {"web"}};
  for (const std::string& item : {text_of(job), text_of(1, eviction), text_of(target)}) {
    EXPECT_NE(shown(item).find("ml/secret"), std::string::npos) << item;
    EXPECT_EQ(shown(item, &web).find("secret"), std::string::npos) << shown(item, &web);
  }
  EXPECT_NE(shown(text_of(target), &web).find("research"), std::string::npos);
}

}  // namespace
}  // namespace berth::page::names_test
