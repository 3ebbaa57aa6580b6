#include "engine/seeker.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/stage.h"

namespace berth::engine {
namespace {

// Two zones, four racks.
class SeekerTest : public testing::Test {
 protected:
  void stage(const std::string& pods) {
    world_ = support::stage(
        "node a labels=zone:1,rack:1\nnode b labels=zone:1,rack:2\n"
        "node c labels=zone:2,rack:3\nnode d labels=zone:2,rack:4\n" +
        pods);
  }
  const Cluster& cluster() const { return world_->cluster(); }
  TaskId task(const std::string& pod) const { return world_->task("default/" + pod); }
  std::vector<TaskId> tasks(const std::vector<std::string>& pods) const {
    std::vector<TaskId> tasks;
    for (const std::string& pod : pods) tasks.push_back(task(pod));
    return tasks;
  }
  // Each seeker with its leader, by pod.
  std::string seekers(const std::vector<std::string>& pods) const {
    const std::vector<ShapeId> shapes = shapes_pending(cluster(), tasks(pods));
    const auto name = [&](ShapeId shape) {
      for (const std::string& pod : pods) {
        if (cluster().task(task(pod)).shape == shape) return pod;
      }
      return std::string();
    };
    std::string text;
    std::vector<Start> decided;
    for (auto next = next_seeker(cluster(), shapes); next;
         next = next_seeker(cluster(), shapes, decided)) {
      text += name(next->shape) + " near " + name(next->leader) + "; ";
      decided.push_back({next->term, DomainId()});
    }
    return text;
  }
  std::string led(const std::vector<std::string>& pods) const {
    std::vector<TaskId> order = tasks(pods);
    leaders_first(cluster(), order);
    std::string text;
    for (const TaskId id : order) text += cluster().task(id).name.substr(8) + " ";
    return text;
  }

  std::unique_ptr<support::World> world_;
};

TEST_F(SeekerTest, RELATION9_those_that_want_members_near_seek) {
  stage(
      "pod worker near=app:l@zone\npod launcher labels=app:l\n"
      "pod self labels=app:s near=app:s@zone\npod stray near=app:nobody@zone\npod plain\n");
  EXPECT_EQ(seekers({"worker", "launcher"}), "worker near launcher; ");
  EXPECT_EQ(seekers({"self", "worker", "plain", "launcher"}),
            "self near self; worker near launcher; ");
  EXPECT_EQ(seekers({"worker", "stray", "plain"}), "") << "no member is what they want";
}

TEST_F(SeekerTest, RELATION9_a_leader_that_follows_another_comes_after_it) {
  stage(
      "pod worker near=app:s@rack\npod server labels=app:s near=app:d@zone\n"
      "pod driver labels=app:d\n");
  EXPECT_EQ(seekers({"worker", "server", "driver"}), "server near driver; worker near server; ");
  EXPECT_EQ(led({"worker", "server", "driver"}), "driver server worker ");
}

TEST_F(SeekerTest, RELATION9_the_key_with_most_domains_comes_first) {
  stage("pod worker near=app:s@zone\npod server labels=app:s near=app:s@rack\n");
  EXPECT_EQ(seekers({"worker", "server"}), "server near server; worker near server; ");
  EXPECT_EQ(led({"worker", "server"}), "server worker ");
}

TEST_F(SeekerTest, RELATION9_nobody_seeks_once_one_is_there) {
  stage(
      "pod there unmanaged labels=app:l on=a\npod worker near=app:l@zone\n"
      "pod launcher labels=app:l\n");
  EXPECT_EQ(seekers({"worker", "launcher"}), "");
  EXPECT_EQ(led({"worker", "launcher"}), "worker launcher ");
}

}  // namespace
}  // namespace berth::engine
