#include "kubeapi/known_objects.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::kubeapi {
namespace {

using document::Member;
using document::Value;

// Of a kind of which no object can be read.
class KnownObjectsTest : public ::testing::Test {
 protected:
  KnownObjectsTest() {
    kind_.name = "pods";
    kind_.changed = [this](const Value&, auto&) {
      return Status(Error{"fault " + std::to_string(faults_++), ""});
    };
    options_.count_lines = std::chrono::hours(1);
    options_.complain = [this](const std::string& what, const Error& error) {
      lines_.push_back(what + ": " + error.message);
    };
  }
  void bring(int count) {
    for (int i = 0; i < count; ++i) {
      const auto text = [](const char* key, const std::string& of) {
        Member member;
        member.key = key;
        member.value.kind = document::Kind::string;
        member.value.text = of;
        return member;
      };
      Member metadata;
      metadata.key = "metadata";
      metadata.value.kind = document::Kind::map;
      metadata.value.members = {text("namespace", "evil"),
                                text("name", "p" + std::to_string(brought_++))};
      Value object;
      object.kind = document::Kind::map;
      object.members.push_back(std::move(metadata));
      known_.change(object);
    }
  }

  ReflectedKind kind_;
  ReflectorOptions options_;
  ManualClock clock_{TimePoint(std::chrono::hours(1))};
  ReflectorCounters counters_;
  KnownObjects known_{clock_, kind_, options_, counters_};
  std::vector<std::string> lines_;
  int brought_ = 0;
  int faults_ = 0;
};

TEST_F(KnownObjectsTest, BOUND8FaultyObjectsDoNotFillTheLog) {
  bring(40);
  ASSERT_EQ(lines_.size(), 30U);
  EXPECT_EQ(lines_.back(), "pods evil/p29: fault 29");
  clock_.advance(options_.count_lines);
  bring(1);
  ASSERT_EQ(lines_.size(), 32U);
  EXPECT_EQ(lines_[30], "pods: 10 further objects have a fault of their own");
  EXPECT_EQ(lines_[31], "pods evil/p40: fault 40");
}

TEST_F(KnownObjectsTest, BOUND8FaultsOfTheWholeKindAreLoggedAllTheSame) {
  bring(100);
  lines_.clear();
  known_.complain(Error{"connection refused", ""});
  known_.complain(Error{"connection refused", ""});
  EXPECT_EQ(lines_, std::vector<std::string>{"pods: connection refused"});
}

}  // namespace
}  // namespace berth::kubeapi
