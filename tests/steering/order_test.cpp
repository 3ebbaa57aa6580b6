#include <gtest/gtest.h>

#include "steering/steering_fixture.h"

namespace berth::steering {
namespace {

TEST_F(SteeringTest, STEER14TheFirstGangsAreCommittedBeforeTheLastAreNominated) {
  for (int n = 0; n < 100; ++n) post(make_node("big-" + std::to_string(n), 10));
  start_leading();
  std::vector<daemon::PodOnNode> placed;
  for (int g = 0; g < 50; ++g) {
    const std::string name = "gang" + std::to_string(g);
    post(make_group(name, 20));
    for (int i = 0; i < 20; ++i) {
      PodObject pod = make_member(name, i);
      pod.gates = {"berth.dev/plan"};
      post(pod);
      placed.push_back({pod.uid, "big-" + std::to_string((g * 20 + i) / 10)});
    }
  }
  plan(placed);
  api_.answers_at_once = false;
  round();
  const std::size_t first = api_.writes.size();
  EXPECT_GE(first, 256u);
  EXPECT_LT(first, 256u + 20u);
  const auto commits = [this] {
    return std::count_if(api_.writes.begin(), api_.writes.end(),
                         [](const Api::Sent& each) { return each.content.kind == Kind::commit; });
  };
  EXPECT_EQ(commits(), 0);
  for (std::size_t i = 0; i < first; ++i) api_.writes[i].done({});
  follow_up();
  follow_up();
  EXPECT_GT(commits(), 0) << "of the first gangs";
  EXPECT_LT(api_.writes.size(), 1000u) << "others are not nominated yet";
  api_.answers_at_once = true;
  for (std::size_t i = first; i < api_.writes.size(); ++i) {
    if (const auto done = std::exchange(api_.writes[i].done, nullptr)) done({});
  }
  for (int i = 0; i < 20; ++i) follow_up();
  EXPECT_EQ(commits(), 1000) << "in the end, all are";
}

}  // namespace
}  // namespace berth::steering
