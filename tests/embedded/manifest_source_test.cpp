#include "embedded/manifest_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>

#include "embedded/fixture.h"

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
    server.follow([this](const ApiServer::Change& change) { deletions += change.is_deletion(); });
  }
  ~ManifestSourceTest() override {
    source.reset();
    fs::remove_all(directory);
  }

  void write(const std::string& file, const std::string& text) {
    std::ofstream(directory / file) << text;
  }
  Status open(const fs::path& path) {
    const auto guarded = [this](const std::function<void()>& what) {
      const std::lock_guard lock(mutex);
      what();
      changed.notify_all();
    };
    auto opened = ManifestSource::open(
        {path.string()},
        [=, this](const std::vector<ClusterEvent>& changes) {
          guarded([&] { server.apply(changes); });
        },
        [=, this](const Error& error) {
          guarded([&] { complaints.push_back(error.to_string()); });
        },
        [=, this](const std::string& note) { guarded([&] { notes.push_back(note); }); });
    if (!opened) return opened.error();
    source = std::move(*opened);
    return Done{};
  }
  bool wait(const std::function<bool()>& is_so) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), is_so);
  }
  bool wait_for_cpu(const std::string& pod, std::int64_t cpu_milli) {
    return wait([&] {
      const PodObject* const found = server.find_pod_named("default/" + pod);
      return found != nullptr && found->request.at("cpu") == cpu_milli;
    });
  }
  bool wait_for_deletions(std::size_t count) {
    return wait([&] { return deletions == count; });
  }
  bool wait_for_complaints(std::size_t count) {
    return wait([&] { return complaints.size() == count; });
  }
  std::optional<PodObject> pod(const std::string& name) {
    const std::lock_guard lock(mutex);
    const PodObject* const found = server.find_pod_named("default/" + name);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  std::string first_uid() {
    const std::lock_guard lock(mutex);
    return server.all<PodObject>().begin()->first;
  }
  std::size_t count_pods() {
    const std::lock_guard lock(mutex);
    return server.all<PodObject>().size();
  }

  Agenda clock{test_start()};
  std::mutex mutex;  // guards the next four, also from the thread of the source
  ApiServer server{clock};
  std::size_t deletions = 0;
  std::vector<std::string> complaints;
  std::vector<std::string> notes;
  std::condition_variable changed;
  fs::path directory;
  std::unique_ptr<ManifestSource> source;
};

TEST_F(ManifestSourceTest, ReadsADirectoryAndPicksUpWhatAppearsChangesAndVanishes) {
  write("a.yaml", pod_yaml("a", "1"));
  ASSERT_TRUE(open(directory));
  EXPECT_TRUE(pod("a").has_value()) << "read before open() returns";

  write("b.yaml", pod_yaml("b", "1"));
  EXPECT_TRUE(wait_for_cpu("b", 1'000));
  write("b.yaml", pod_yaml("b", "2"));
  EXPECT_TRUE(wait_for_cpu("b", 2'000));
  fs::remove(directory / "a.yaml");
  EXPECT_TRUE(wait_for_deletions(1));
  EXPECT_FALSE(pod("a").has_value());
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
  EXPECT_TRUE(complaints.empty());
}

TEST_F(ManifestSourceTest, ABadFileAtTheStartIsAnError) {
  write("a.yaml", pod_yaml("a", "1"));
  write("b.yaml", pod_yaml("b", "much"));
  const Status opened = open(directory);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().where.find("b.yaml:9"), std::string::npos) << opened.error().where;
  EXPECT_EQ(count_pods(), 0U);
  EXPECT_FALSE(open(directory / "none"));
}

TEST_F(ManifestSourceTest, ABadFileLaterIsReportedOnceAndTheLastGoodStateIsKept) {
  write("a.yaml", pod_yaml("a", "1"));
  ASSERT_TRUE(open(directory));
  write("b.yaml", pod_yaml("b", "much"));
  ASSERT_TRUE(wait_for_complaints(1));
  EXPECT_NE(complaints.at(0).find("b.yaml:9"), std::string::npos) << complaints.at(0);
  write("c.yaml", pod_yaml("c", "1"));  // read together with the bad one
  write("b.yaml", pod_yaml("b", "many"));
  ASSERT_TRUE(wait_for_complaints(2));
  EXPECT_TRUE(pod("a").has_value());
  write("b.yaml", pod_yaml("b", "2"));
  EXPECT_TRUE(wait_for_cpu("b", 2'000));
  EXPECT_TRUE(pod("c").has_value());
  EXPECT_EQ(complaints.size(), 2U);
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
  ASSERT_EQ(count_pods(), 1U);
  const std::string uid = first_uid();
  write("job.yaml", job_yaml("2"));
  ASSERT_TRUE(wait([&] { return notes.size() == 2; }));
  ASSERT_EQ(count_pods(), 2U);
  EXPECT_EQ(first_uid(), uid) << "the first pod stays";
  EXPECT_EQ(notes.at(0),
            "Job default/j has no pods in the input; 1 is made: 1 more follows as these end");
  fs::remove(directory / "job.yaml");
  EXPECT_TRUE(wait([&] { return server.all<PodObject>().empty(); }));
}

TEST_F(ManifestSourceTest, WhatTheClusterMadeOfAnUnchangedPodStays) {
  write("n.yaml", node_yaml("n1"));
  write("a.yaml", pod_yaml("a", "1"));
  ASSERT_TRUE(open(directory));
  const std::string uid = pod("a")->uid;
  {
    const std::lock_guard lock(mutex);
    ASSERT_TRUE(server.bind({"default", "a", uid, "n1"}).bound);
  }
  write("b.yaml", pod_yaml("b", "1"));
  ASSERT_TRUE(wait_for_cpu("b", 1'000));
  EXPECT_EQ(pod("a")->node_name, "n1");
  {
    const std::lock_guard lock(mutex);
    server.erase<PodObject>(uid);  // as after an eviction
  }
  write("c.yaml", pod_yaml("c", "1"));
  ASSERT_TRUE(wait_for_cpu("c", 1'000));
  EXPECT_FALSE(pod("a").has_value()) << "an evicted pod does not come back";
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
