#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/checkout.h"
#include "support/scenario.h"

namespace {

// Each tests/scenarios/TOPIC/NAME.scn is the test TOPIC.NAME.
struct Named {
  const char* topic;
  const char* name;
};

constexpr Named kScenarios[] = {
#include "scenarios.inc"
};

class Played : public testing::Test {
 public:
  explicit Played(std::string path) : path_(std::move(path)) {}

  void TestBody() override {
    const auto scenario = berth::support::Scenario::read(path_);
    ASSERT_TRUE(scenario) << scenario.error().to_string();
    EXPECT_EQ(berth::support::play_in_many_orders(*scenario), "");
  }

 private:
  std::string path_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = berth::support::source_file("tests/scenarios/");
  for (const Named& each : kScenarios) {
    const std::string path = folder + each.topic + "/" + each.name + ".scn";
    testing::RegisterTest(each.topic, each.name, nullptr, nullptr, path.c_str(), 1,
                          [path]() -> testing::Test* { return new Played(path); });
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
