#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"

namespace berth::daemon {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kBadLoads = "berth_faults_total{kind=\"config_load_failed\"}";

std::string config_text(const std::string& actions) {
  return "actions: \"" + actions +
         "\"\n"
         "tiers: [{plugins: [{name: gang}, {name: predicates}]}]\n"
         "schedulePeriod: 100ms\n";
}

// Starts with a configuration that admits jobs and places none.
class AppReload : public testing::Test {
 protected:
  void start(const std::string& config_file) {
    const std::string manifests =
        directory_.write("all.yaml", nodes_yaml(2, 4) + gang_yaml("g", 8, 1000));
    berthd_ = std::make_unique<BerthdProcess>(
        std::vector<std::string>{"--embedded", manifests, "--config", config_file});
    ASSERT_TRUE(berthd_->says("job ml/g is Inqueue")) << berthd_->printed();
    ASSERT_EQ(berthd_->metric("berth_decisions_total{kind=\"bind\"}"), 0);
  }
  Json configz() { return Json::parse(berthd_->get("/configz").body); }

  TemporaryDirectory directory_;
  TemporaryDirectory mount_;
  std::unique_ptr<BerthdProcess> berthd_;
};

TEST_F(AppReload, AChangedFileTakesEffectWithoutARestart) {
  start(mount_.write("berth.yaml", config_text("enqueue")));
  EXPECT_EQ(configz()["effective"]["actions"], Json::array({"enqueue"}));
  mount_.write("berth.yaml", config_text("enqueue, allocate"));
  ASSERT_TRUE(berthd_->says("job ml/g is Running: 8 of 8")) << berthd_->printed();
  EXPECT_TRUE(berthd_->has_printed("the configuration has changed"));
  EXPECT_EQ(configz()["effective"]["actions"], Json::array({"enqueue", "allocate"}));
  EXPECT_EQ(configz()["badLoads"], 0);
}

TEST_F(AppReload, TheSymlinkSwapOfAConfigMapIsSeen) {
  fs::create_directory(mount_.path() / "..v1");
  fs::create_directory(mount_.path() / "..v2");
  mount_.write("first", config_text("enqueue"));
  mount_.write("second", config_text("enqueue, allocate"));
  fs::rename(mount_.path() / "first", mount_.path() / "..v1/berth.yaml");
  fs::rename(mount_.path() / "second", mount_.path() / "..v2/berth.yaml");
  fs::create_directory_symlink("..v1", mount_.path() / "..data");
  fs::create_symlink("..data/berth.yaml", mount_.path() / "berth.yaml");
  start(mount_.file("berth.yaml"));

  fs::create_directory_symlink("..v2", mount_.path() / "..data_tmp");
  fs::rename(mount_.path() / "..data_tmp", mount_.path() / "..data");
  fs::remove_all(mount_.path() / "..v1");
  EXPECT_TRUE(berthd_->says("job ml/g is Running: 8 of 8")) << berthd_->printed();
}

TEST_F(AppReload, ABadFileKeepsTheLastGoodOneAndIsCountedShownAndLogged) {
  const std::string file = mount_.write("berth.yaml", config_text("enqueue"));
  start(file);
  mount_.write("berth.yaml", config_text("enqueue, alocate"));
  ASSERT_TRUE(berthd_->says("the last good is kept")) << berthd_->printed();
  EXPECT_TRUE(berthd_->has_printed(file + ":1:")) << berthd_->printed();
  EXPECT_TRUE(berthd_->has_printed("alocate"));
  EXPECT_TRUE(berthd_->eventually([this] { return berthd_->metric(kBadLoads) == 1; }));
  EXPECT_EQ(configz()["badLoads"], 1);
  EXPECT_EQ(configz()["effective"]["actions"], Json::array({"enqueue"}));
  EXPECT_NE(configz()["lastError"].get<std::string>().find("alocate"), std::string::npos);
  EXPECT_FALSE(berthd_->has_printed("is Running"));

  mount_.write("berth.yaml", config_text("enqueue, allocate"));
  EXPECT_TRUE(berthd_->says("job ml/g is Running: 8 of 8")) << berthd_->printed();
  EXPECT_TRUE(configz()["lastError"].is_null());
  EXPECT_EQ(berthd_->get("/livez").status, 200);
}

TEST_F(AppReload, AKeyThatNeedsARestartIsNamed) {
  start(mount_.write("berth.yaml", config_text("enqueue")));
  mount_.write("berth.yaml", config_text("enqueue") + "barrier: {timeout: 3s}\n");
  ASSERT_TRUE(berthd_->says("\"barrier\" has changed and takes effect at the next start"))
      << berthd_->printed();
  EXPECT_EQ(configz()["waitingForRestart"], Json::array({"barrier"}));
}

}  // namespace
}  // namespace berth::daemon
