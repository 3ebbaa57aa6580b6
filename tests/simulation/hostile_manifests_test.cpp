// Plans for objects with parts left out, doubled, or of other types, where these can be read.
#include <gtest/gtest.h>

#include "berth/engine/action.h"
#include "berth/engine/plugin.h"
#include "berth/engine/points.h"
#include "conf/config.h"
#include "conf/default_config.h"
#include "kube/changed_objects.h"
#include "kube/manifests.h"
#include "simulation/simulation.h"
#include "support/damage.h"
#include "support/seeds.h"

namespace berth::simulation {
namespace {

using document::Value;
using namespace kube::testing;

std::string damaged_list(const std::vector<Value>& originals, support::Damage& damage) {
  std::string items =
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"zone":"a"}},)"
      R"("status":{"allocatable":{"cpu":"8","memory":"32Gi","pods":"110","nvidia.com/gpu":"4"}}})";
  std::vector<Value> objects = originals;
  for (std::size_t wounds = 1 + damage.below(3); wounds > 0; --wounds) {
    Value& object = objects[damage.below(objects.size())];
    const std::vector<Path> parts = parts_of(object);
    object = changed(object, parts[damage.below(parts.size())], damage.below(change_count()));
    if (parts_of(object).empty()) break;
  }
  for (const Value& object : objects) items += ",\n" + json_of(object);
  return R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}";
}

TEST(HostileManifests, ArePlannedOrRefused) {
  const auto config =
      conf::load_config(std::string(conf::default_config_text()), "default",
                        {engine::action_names(), engine::plugin_names(), engine::points::names()});
  ASSERT_TRUE(config) << config.error().to_string();
  std::vector<std::vector<Value>> files;
  for (const std::string& file : fixture_files()) files.push_back(objects_in(file));
  files.push_back(objects_in("tests/kubeapi/testdata/everything.json"));
  std::size_t planned = 0;
  for (const std::uint64_t seed : support::seeds(600)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    support::Damage damage(seed);
    const std::string list = damaged_list(files[damage.below(files.size())], damage);
    auto manifests = kube::parse_manifests(list, "f.json");
    if (!manifests) continue;
    SimulationRequest request;
    request.objects = std::move(manifests->events);
    request.config = *config;
    request.cycles = 2;
    const auto report = simulate(std::move(request));
    ASSERT_TRUE(report || !report.error().message.empty());
    if (report) ++planned;
  }
  EXPECT_GT(planned, support::seeds(600).size() / 4);
}

}  // namespace
}  // namespace berth::simulation
