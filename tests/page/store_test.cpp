#include "page/store.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>

namespace berth::page::store_test {
namespace {

using Json = nlohmann::json;

// The state that a client has, by the rules of docs/design/page.md.
class Client {
 public:
  void take(const Store& store) {
    const bool is_known = version_ > 0;
    const Json answer =
        Json::parse(store.document(is_known ? std::optional(version_) : std::nullopt, TimePoint()));
    if (answer["whole"].get<bool>()) state_.clear();
    const Json gone = answer.value("gone", Json::object());
    for (const auto& [section, keys] : gone.items()) {
      for (const Json& key : keys) state_[section].erase(key.get<std::string>());
    }
    for (const auto& [section, items] : answer["set"].items()) {
      for (const Json& item : items) state_[section][item[0].get<std::string>()] = item;
    }
    std::erase_if(state_, [](const auto& section) { return section.second.empty(); });
    version_ = answer["version"].get<std::uint64_t>();
  }

  std::uint64_t version_ = 0;
  std::map<std::string, std::map<std::string, Json>> state_;
};

std::string item(const std::string& key, int value) { return Json::array({key, value}).dump(); }

class StoreTest : public testing::Test {
 protected:
  Json changes(std::uint64_t after) const {
    return Json::parse(store_.document(after, TimePoint(std::chrono::milliseconds(1'500))));
  }
  Store store_{"one"};
};

TEST_F(StoreTest, PAGE2_AnAnswerHasWhatChangedAfterAVersion) {
  store_.put(Section::nodes, "n1", item("n1", 1));
  store_.put(Section::nodes, "n2", item("n2", 1));
  ASSERT_TRUE(store_.commit());
  const std::uint64_t before = store_.version();
  store_.put(Section::nodes, "n1", item("n1", 1));
  EXPECT_FALSE(store_.commit()) << "an equal text is no change";
  store_.put(Section::nodes, "n2", item("n2", 2));
  store_.erase(Section::nodes, "n1");
  store_.erase(Section::nodes, "n7");
  ASSERT_TRUE(store_.commit());
  const Json answer = changes(before);
  EXPECT_EQ(answer["instance"], "one");
  EXPECT_EQ(answer["version"], before + 1);
  EXPECT_EQ(answer["now"], 1'500);
  EXPECT_EQ(answer["whole"], false);
  EXPECT_EQ(answer["set"], Json::parse(R"({"nodes": [["n2", 2]]})"));
  EXPECT_EQ(answer["gone"], Json::parse(R"({"nodes": ["n1"]})"));
  EXPECT_EQ(changes(before + 1)["set"], Json::object());
}

TEST_F(StoreTest, PAGE2_AnUnknownVersionGetsEverything) {
  store_.put(Section::jobs, "1", item("1", 1));
  store_.commit();
  EXPECT_EQ(changes(store_.version() + 1)["whole"], true);
  for (std::size_t i = 0; i <= Store::kGoneMost; ++i) {
    store_.put(Section::nodes, "n", item("n", 1));
    store_.commit();
    store_.erase(Section::nodes, "n");
    store_.commit();
  }
  EXPECT_FALSE(store_.knows(1));
  EXPECT_TRUE(store_.knows(store_.version() - 2));
  EXPECT_EQ(changes(1)["whole"], true);
}

TEST_F(StoreTest, WhatComesWholeReplacesWhatWasThere) {
  store_.put(Section::queues, "a", item("a", 1));
  store_.put(Section::queues, "b", item("b", 1));
  store_.put(Section::nodes, "n", item("n", 1));
  store_.commit();
  store_.mark();
  store_.put(Section::queues, "b", item("b", 1));
  store_.erase_unmarked(Section::queues);
  EXPECT_TRUE(store_.commit());
  Client client;
  client.take(store_);
  EXPECT_FALSE(client.state_["queues"].contains("a"));
  EXPECT_TRUE(client.state_["queues"].contains("b"));
  EXPECT_TRUE(client.state_["nodes"].contains("n"));
}

// PAGE-2. However often a client asks, it has what a whole answer has.
TEST_F(StoreTest, PAGE2_MergedAnswersAreAsAWholeOne) {
  std::mt19937 random(7);
  const auto number = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  Client often, seldom;
  for (int round = 0; round < 2'000; ++round) {
    for (int change = number(4); change > 0; --change) {
      const Section section = number(2) == 0 ? Section::nodes : Section::jobs;
      const std::string key = "k" + std::to_string(number(20));
      if (number(3) == 0) {
        store_.erase(section, key);
      } else {
        store_.put(section, key, item(key, number(3)));
      }
    }
    store_.commit();
    often.take(store_);
    if (number(10) == 0) seldom.take(store_);
  }
  seldom.take(store_);
  Client whole;
  whole.take(store_);
  EXPECT_EQ(often.state_, whole.state_);
  EXPECT_EQ(seldom.state_, whole.state_);
}

}  // namespace
}  // namespace berth::page::store_test
