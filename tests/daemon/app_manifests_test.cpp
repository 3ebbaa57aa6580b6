#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"

namespace berth::daemon {
namespace {

using Json = nlohmann::json;

class AppManifests : public testing::Test {
 protected:
  void start(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--embedded", directory_.path().string()});
    berthd_ = std::make_unique<BerthdProcess>(std::move(more));
    ASSERT_NE(berthd_->port(), 0);
  }
  // The answer to kube-scheduler about a pod of its own that asks for so much.
  Json nodes_for_foreign(int milli_cpu, const Json& nodes) {
    const Json request{{"cpu", std::to_string(milli_cpu) + "m"}};
    const Json container{{"name", "c"}, {"resources", {{"requests", request}}}};
    const Json args{
        {"Pod",
         {{"metadata", {{"name", "x"}, {"namespace", "ml"}, {"uid", "uid-x"}}},
          {"spec", {{"schedulerName", "default-scheduler"}, {"containers", {container}}}}}},
        {"NodeNames", nodes}};
    return Json::parse(berthd_->post("/plan/filter", args.dump()).body)["NodeNames"];
  }
  double filters(const std::string& outcome) {
    return berthd_->metric("berth_extender_calls_total{outcome=\"" + outcome +
                           "\",verb=\"filter\"}");
  }

  TemporaryDirectory directory_;
  std::unique_ptr<BerthdProcess> berthd_;
};

TEST_F(AppManifests, AFileDroppedIntoTheDirectoryIsPickedUp) {
  directory_.write("1-nodes.yaml", nodes_yaml(2, 4));
  start();
  directory_.write("2-gang.yaml", gang_yaml("g", 4, 1000));
  EXPECT_TRUE(berthd_->says("job ml/g is Running: 4 of 4")) << berthd_->printed();
  directory_.write("3-gang.yaml", gang_yaml("h", 8, 1000));
  EXPECT_TRUE(berthd_->says("job ml/h waits: ")) << berthd_->printed();
  std::filesystem::remove(directory_.path() / "2-gang.yaml");  // its pods go, and leave their room
  EXPECT_TRUE(berthd_->says("job ml/h is Running: 8 of 8")) << berthd_->printed();
}

TEST_F(AppManifests, ABadFileIsReportedWithItsPlaceAndWhatThereIsGoesOn) {
  directory_.write("1-nodes.yaml", nodes_yaml(2, 4));
  directory_.write("2-gang.yaml", gang_yaml("g", 4, 1000, "3s"));
  start();
  const std::string bad = directory_.write("3-bad.yaml", "kind: Pod\nmetadata: {name: [}\n");
  ASSERT_TRUE(berthd_->says(bad + ":2:")) << berthd_->printed();
  EXPECT_TRUE(berthd_->says("job ml/g is Running: 4 of 4")) << berthd_->printed();
  EXPECT_TRUE(berthd_->says("job ml/g is Completed")) << berthd_->printed();
  directory_.write("3-bad.yaml", gang_yaml("h", 4, 1000));
  EXPECT_TRUE(berthd_->says("job ml/h is Running: 4 of 4")) << berthd_->printed();
}

TEST_F(AppManifests, PodsOfOthersAreBoundByOthersAndTakeTheirRoom) {
  directory_.write("1-nodes.yaml", nodes_yaml(1, 4));
  start();
  // Before the first plan, a call is answered so and ignored: the pod would be bound unasked.
  ASSERT_TRUE(berthd_->eventually([this] {
    return berthd_->metric("berth_session_duration_seconds_count") >= 1;
  })) << berthd_->printed();
  directory_.write(
      "2-other.yaml",
      pod_yaml({.name = "other", .scheduler = "default-scheduler", .milli_cpu = 3000}));
  ASSERT_TRUE(berthd_->eventually([this] { return filters("passed") >= 1; })) << berthd_->printed();
  directory_.write("3-gang.yaml", gang_yaml("g", 2, 1000));
  ASSERT_TRUE(berthd_->says("job ml/g waits: 1 of 2 ")) << berthd_->printed();
  EXPECT_EQ(berthd_->metric("berth_extender_calls_total{outcome=\"bound\",verb=\"bind\"}"), 0);
  std::filesystem::remove(directory_.path() / "2-other.yaml");
  EXPECT_TRUE(berthd_->says("job ml/g is Running: 2 of 2")) << berthd_->printed();
}

// A gang of two holds 3 of 4 cpu on each of two nodes, and neither member is bound yet.
TEST_F(AppManifests, PodsOfOthersDoNotTakePlannedRoom) {
  TemporaryDirectory config;
  const std::string patient = config.write(
      "berth.yaml", std::string(kWithoutPredicates) + "barrier: {timeout: 25s, maxTimeout: 28s}\n");
  directory_.write("1-nodes.yaml", nodes_yaml(2, 4));
  directory_.write("2-gang.yaml", gang_yaml("g", 2, 3000, "", 1));
  start({"--config", patient});
  // Kube-scheduler's refusal of the gated member ends the first plan. In the same words again, it
  // is no veto (STEER-12), so the second plan stands.
  ASSERT_TRUE(berthd_->eventually([this] {
    return berthd_->count_of_lines("job ml/g planned: ") == 2 &&
           berthd_->metric("berth_state{what=\"held_binds\"}") == 1;
  })) << berthd_->printed();
  const Json both{"n000", "n001"};
  EXPECT_EQ(nodes_for_foreign(1000, both), both) << "there is room for this one beside them";
  EXPECT_EQ(nodes_for_foreign(2000, both), Json::array());
  EXPECT_EQ(nodes_for_foreign(2000, {"n000", "n009", "n001"}), Json{"n009"})
      << "a node without plans is not ours to take away";

  // Of higher priority, so kube-scheduler's own nomination of the gated member does not stop it.
  directory_.write("3-other.yaml", pod_yaml({.name = "other",
                                             .scheduler = "default-scheduler",
                                             .milli_cpu = 2000,
                                             .priority = 1000}));
  ASSERT_TRUE(berthd_->eventually([this] { return filters("trimmed") >= 3; }))
      << berthd_->printed();
  directory_.write("1-nodes.yaml", nodes_yaml(2, 4, true));
  EXPECT_TRUE(berthd_->says("job ml/g is Running: 2 of 2")) << berthd_->printed();
}

}  // namespace
}  // namespace berth::daemon
