#include "berth/engine/fit.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/fit/reachable_capacity.h"
#include "support/stage.h"

namespace berth::engine {
namespace {

class FitTest : public ::testing::Test {
 protected:
  void stage(const std::string& text) { world_ = support::stage(text); }
  const Cluster& cluster() const { return world_->cluster(); }
  const Shape& shape(const std::string& pod) const {
    return cluster().shape_of(world_->task("default/" + pod));
  }
  NodeId node(const std::string& name) const { return cluster().find_node(name); }

  std::unique_ptr<support::World> world_;
};

TEST_F(FitTest, FIT1RoomIsComparedResourceByResource) {
  const std::vector<std::pair<std::string, std::int64_t>> asked{{"cpu", 2}, {"gpu", 3}};
  std::map<std::string, std::int64_t> room{{"cpu", 9}, {"gpu", 3}};
  const auto room_of = [&](const std::string& resource) { return room[resource]; };
  EXPECT_TRUE(is_covered(asked, room_of));
  EXPECT_EQ(times_covered(asked, room_of), 1);
  room["gpu"] = 7;
  EXPECT_EQ(times_covered(asked, room_of), 2);
  room["cpu"] = -1;
  EXPECT_FALSE(is_covered(asked, room_of));
  EXPECT_EQ(times_covered(asked, room_of), 0);
}

TEST_F(FitTest, FIT1EachViewCountsItsOwnRoom) {
  stage(
      "node n cpu=10\n"
      "pod staying unmanaged of-daemonset on=n cpu=1\n"
      "pod leaving unmanaged on=n cpu=2 terminating\n"
      "pod running unmanaged on=n cpu=3\n"
      "pod p cpu=1\n");
  const NodeId n = node("n");
  EXPECT_EQ((IdleNow{cluster()}.at(n, kCpu)), 4000);
  EXPECT_EQ((OnceVacated{cluster()}.at(n, kCpu)), 6000);
  EXPECT_EQ((OnceEmptied{cluster()}.at(n, kCpu)), 9000);
  EXPECT_EQ((WithOwnPlace{cluster(), shape("running")}.at(n, kCpu)), 7000);
  EXPECT_EQ(ReachableCapacity(cluster()).at(n, kCpu), 9000);
  EXPECT_EQ(room_for(IdleNow{cluster()}, shape("p"), n), 4);
  EXPECT_TRUE(has_room(OnceVacated{cluster()}, shape("p"), n));
}

TEST_F(FitTest, FIT2AShapeDependsOnWhatItsConstraintsDependOn) {
  stage("node n cpu=1\npod plain cpu=1\npod ports cpu=1 ports=80\n");
  EXPECT_EQ(depends_on(shape("plain")), DependsOn::specification);
  EXPECT_EQ(depends_on(shape("ports")), DependsOn::occupants);
  const Constraint zonal{DependsOn::domain, [](const Place&) { return pass(); },
                         [](const Shape& each) { return each.has_host_ports; }};
  const std::vector<const Constraint*> among{&constraints::host_ports, &zonal};
  EXPECT_EQ(depends_on(shape("plain"), among), DependsOn::specification);
  EXPECT_EQ(depends_on(shape("ports"), among), DependsOn::domain);
  EXPECT_EQ(constraints::veto.depends_on, DependsOn::specification);
  for (const Constraint* const each : constraints_on_tasks()) {
    EXPECT_NE(each->depends_on, DependsOn::specification);
  }
}

TEST_F(FitTest, FIT3TheFirstRefusalIsTheReason) {
  stage(
      "node n cpu=4 unschedulable taints=team:a:NoExecute\n"
      "pod p cpu=1 selector=disk:ssd\n"
      "pod q cpu=1 selector=disk:ssd tolerates=node.kubernetes.io/unschedulable::NoSchedule\n"
      "pod r cpu=1 selector=disk:ssd "
      "tolerates=node.kubernetes.io/unschedulable::NoSchedule,team:a:NoExecute\n");
  const auto reason = [&](const std::string& pod) {
    return check_specification({cluster(), shape(pod), cluster().node(node("n"))}).reason;
  };
  EXPECT_EQ(reason("p"), Reason::node_unschedulable);
  EXPECT_EQ(reason("q"), Reason::taint_not_tolerated);
  EXPECT_EQ(reason("r"), Reason::node_selector_mismatch);
}

TEST_F(FitTest, FIT4OnlyPortsOfThoseWhoStayCountOnceTheOthersHaveLeft) {
  stage(
      "node a cpu=4\nnode b cpu=4\n"
      "pod daemon unmanaged of-daemonset on=a cpu=1 ports=10.0.0.1:TCP:80\n"
      "pod other unmanaged on=b cpu=1 ports=80\n"
      "pod p cpu=1 ports=80\npod q cpu=1 ports=10.0.0.2:TCP:80\n");
  const auto fits_on = [&](const std::string& pod, const std::string& name, Occupants occupants) {
    const Node& on = cluster().node(node(name));
    return static_cast<bool>(check_occupants({cluster(), shape(pod), on, occupants}));
  };
  EXPECT_FALSE(fits_on("p", "a", Occupants::staying));
  EXPECT_TRUE(fits_on("q", "a", Occupants::staying)) << "another address";
  EXPECT_FALSE(fits_on("p", "b", Occupants::all));
  EXPECT_TRUE(fits_on("p", "b", Occupants::staying));
}

}  // namespace
}  // namespace berth::engine
