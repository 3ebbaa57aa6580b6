#include "embedded/manifest_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>

#include "embedded/waiting.h"

namespace berth::embedded {
namespace {

namespace fs = std::filesystem;

std::string pod_yaml(const std::string& name, const std::string& cpu) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         "}\nspec:\n  schedulerName: berth\n  containers:\n  - name: main\n    resources:\n"
         "      requests: {cpu: \"" +
         cpu + "\"}\n";
}

std::string node_yaml(const std::string& name) {
  return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
         "}\nstatus: {allocatable: {cpu: \"4\", pods: \"110\"}}\n";
}

class ManifestSourceTest : public ::testing::Test {
 protected:
  ManifestSourceTest() {
    std::string pattern = (fs::temp_directory_path() / "berth-manifests-XXXXXX").string();
    directory = ::mkdtemp(pattern.data());
    cluster.watch(sink);
  }
  ~ManifestSourceTest() override {
    source.reset();
    cluster.unwatch(sink);
    fs::remove_all(directory);
  }

  void write(const std::string& file, const std::string& text) {
    std::ofstream(directory / file) << text;
  }
  Status open(const fs::path& path) {
    auto opened = ManifestSource::open(
        {path.string()}, cluster,
        [this](const Error& error) {
          complaints.post(PlacementDropped{error.to_string(), "", ""});
        },
        [this](const std::string& note) {
          notes.post(PlacementDropped{note, "", ""});
        });
    if (!opened) return opened.error();
    source = std::move(*opened);
    return Done{};
  }
  bool wait_for_cpu(const std::string& pod, std::int64_t cpu_milli) {
    return sink.wait_for_pod(
        pod, [&](const PodObject& seen) { return seen.request.at("cpu") == cpu_milli; });
  }
  bool wait_for_deletion() {
    return sink.wait([](const auto& events) {
      return !events.empty() && std::holds_alternative<PodDeleted>(events.back());
    });
  }
  bool wait_for_complaints(std::size_t count) {
    return complaints.wait([&](const auto& events) { return events.size() == count; });
  }
  std::string complaint(std::size_t index) {
    return std::get<PlacementDropped>(complaints.events().at(index)).pod_uid;
  }

  ScaledClock clock{test_start()};
  EmbeddedCluster cluster{clock};
  RecordingSink sink;
  RecordingSink complaints;
  RecordingSink notes;
  fs::path directory;
  std::unique_ptr<ManifestSource> source;
};

TEST_F(ManifestSourceTest, ReadsADirectoryAndPicksUpWhatAppearsChangesAndVanishes) {
  write("a.yaml", pod_yaml("a", "1"));
  ASSERT_TRUE(open(directory));
  EXPECT_TRUE(cluster.pod("default/a").has_value()) << "read before open() returns";

  write("b.yaml", pod_yaml("b", "1"));
  EXPECT_TRUE(wait_for_cpu("b", 1'000));
  write("b.yaml", pod_yaml("b", "2"));
  EXPECT_TRUE(wait_for_cpu("b", 2'000));
  fs::remove(directory / "a.yaml");
  EXPECT_TRUE(wait_for_deletion());
  EXPECT_FALSE(cluster.pod("default/a").has_value());
}

TEST_F(ManifestSourceTest, PicksUpFilesInNewDirectoriesAndFilesMovedIn) {
  ASSERT_TRUE(open(directory));
  fs::create_directory(directory / "more");
  write("more/a.yaml", pod_yaml("a", "1"));
  EXPECT_TRUE(wait_for_cpu("a", 1'000));
  write("more/a.partial", pod_yaml("a", "3"));
  fs::rename(directory / "more/a.partial", directory / "more/a.yaml");
  EXPECT_TRUE(wait_for_cpu("a", 3'000));
}

TEST_F(ManifestSourceTest, FollowsASingleFile) {
  write("a.yaml", pod_yaml("a", "1"));
  ASSERT_TRUE(open(directory / "a.yaml"));
  write("other.yaml", "not: [a manifest");
  write("a.yaml", pod_yaml("a", "2"));
  EXPECT_TRUE(wait_for_cpu("a", 2'000));
  EXPECT_TRUE(complaints.events().empty());
}

TEST_F(ManifestSourceTest, ABadFileAtTheStartIsAnError) {
  write("a.yaml", pod_yaml("a", "1"));
  write("b.yaml", pod_yaml("b", "much"));
  const Status opened = open(directory);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().where.find("b.yaml:9"), std::string::npos) << opened.error().where;
  EXPECT_TRUE(cluster.pods().empty());
  EXPECT_FALSE(open(directory / "none"));
}

TEST_F(ManifestSourceTest, ABadFileLaterIsReportedOnceAndTheLastGoodStateIsKept) {
  write("a.yaml", pod_yaml("a", "1"));
  ASSERT_TRUE(open(directory));
  write("b.yaml", pod_yaml("b", "much"));
  ASSERT_TRUE(wait_for_complaints(1));
  EXPECT_NE(complaint(0).find("b.yaml:9"), std::string::npos) << complaint(0);
  write("c.yaml", pod_yaml("c", "1"));  // read together with the bad one
  write("b.yaml", pod_yaml("b", "many"));
  ASSERT_TRUE(wait_for_complaints(2));
  EXPECT_TRUE(cluster.pod("default/a").has_value());
  write("b.yaml", pod_yaml("b", "2"));
  EXPECT_TRUE(wait_for_cpu("b", 2'000));
  EXPECT_TRUE(cluster.pod("default/c").has_value());
  EXPECT_EQ(complaints.events().size(), 2U);
}

TEST_F(ManifestSourceTest, AJobGetsItsPodsAndLosesThemWithIt) {
  const auto job_yaml = [](const std::string& parallelism) {
    return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  parallelism: " +
           parallelism +
           "\n  completions: 2\n  completionMode: Indexed\n  template:\n    spec:\n"
           "      schedulerName: berth\n      restartPolicy: Never\n"
           "      containers: [{name: main, resources: {requests: {cpu: 1}}}]\n";
  };
  write("job.yaml", job_yaml("1"));
  ASSERT_TRUE(open(directory));
  ASSERT_EQ(cluster.pods().size(), 1U);
  const std::string uid = cluster.pods().front().uid;
  write("job.yaml", job_yaml("2"));
  ASSERT_TRUE(notes.wait([](const auto& events) { return events.size() == 2; }));
  ASSERT_EQ(cluster.pods().size(), 2U);
  EXPECT_EQ(cluster.pods().front().uid, uid) << "the first pod stays";
  EXPECT_EQ(std::get<PlacementDropped>(notes.events().at(0)).pod_uid,
            "Job default/j has no pods in the input; 1 is made: 1 more follows as these end");
  fs::remove(directory / "job.yaml");
  EXPECT_TRUE(sink.wait([](const auto& events) {
    return std::count_if(events.begin(), events.end(), [](const ClusterEvent& event) {
             return std::holds_alternative<PodDeleted>(event);
           }) == 2;
  }));
}

TEST_F(ManifestSourceTest, WhatTheClusterMadeOfAnUnchangedPodStays) {
  write("n.yaml", node_yaml("n1"));
  write("a.yaml", pod_yaml("a", "1"));
  ASSERT_TRUE(open(directory));
  const std::string uid = cluster.pod("default/a")->uid;
  std::promise<bool> bound;
  cluster.bind({"default", "a", uid, "n1"},
               [&](const ports::BindOutcome& outcome) { bound.set_value(outcome.bound); });
  ASSERT_TRUE(bound.get_future().get());
  write("b.yaml", pod_yaml("b", "1"));
  ASSERT_TRUE(wait_for_cpu("b", 1'000));
  EXPECT_EQ(cluster.pod("default/a")->node_name, "n1");
  EXPECT_EQ(cluster.pod("default/a")->phase, PodPhase::running);

  cluster.write({{.uid = uid}, ports::Eviction{"preempted"}}, [](const ports::WriteOutcome&) {});
  ASSERT_TRUE(wait_for_deletion());
  write("c.yaml", pod_yaml("c", "1"));
  ASSERT_TRUE(wait_for_cpu("c", 1'000));
  EXPECT_FALSE(cluster.pod("default/a").has_value()) << "an evicted pod does not come back";
}

TEST_F(ManifestSourceTest, ADirectoryThatVanishesAndComesBackIsFollowedAgain) {
  const fs::path inner = directory / "inner";
  fs::create_directory(inner);
  write("inner/a.yaml", pod_yaml("a", "1"));
  ASSERT_TRUE(open(inner));
  fs::rename(inner, directory / "aside");
  ASSERT_TRUE(wait_for_complaints(1));
  fs::create_directory(inner);
  write("inner/a.yaml", pod_yaml("a", "2"));
  EXPECT_TRUE(wait_for_cpu("a", 2'000));
}

}  // namespace
}  // namespace berth::embedded
