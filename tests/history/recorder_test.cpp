#include "history/recorder.h"

#include <gtest/gtest.h>

#include "document/readers.h"
#include "history/reader.h"
#include "history/samples.h"
#include "history/temporary_directory.h"
#include "mirror/memory_cluster.h"

namespace berth::history::recorder_test {
namespace {

// A cluster, its recorder, and the lines.
class HistoryRecorder : public testing::Test {
 protected:
  HistoryRecorder() {
    add(sample("n1"));
    add(sample("n2"));
  }

  static NodeObject sample(const std::string& name) {
    NodeObject node = sample_node(name);
    node.taints.clear();
    node.unschedulable = false;
    return node;
  }

  template <class Object>
  void add(const Object& object) {
    cluster_.apply(object);
    recorder_.observe(object);
  }

  void add_group(const std::string& name, std::int32_t minimum) {
    PodGroupObject group;
    group.name_space = "ml";
    group.name = group.uid = name;
    group.created = at(0);
    group.min_member = minimum;
    group.queue = "research";
    group.time_limit = std::chrono::hours(1);
    add(group);
  }

  std::string add_pod(const std::string& group, int number) {
    PodObject pod;
    pod.name_space = "ml";
    pod.group = group;
    pod.name = group + "-" + std::to_string(number);
    pod.uid = "pod-" + pod.name;
    pod.index = number;
    pod.created = at(0);
    pod.scheduler_name = "berth";
    pod.priority = 5;
    pod.request = {{"cpu", 1000}, {"pods", 1}};
    pod.constraints.node_selector = {{"example.com/rack", "r1"}};
    add(pod);
    return pod.uid;
  }

  void gang(const std::string& name, std::int32_t pods) {
    add_group(name, pods);
    for (int i = 0; i < pods; ++i) add_pod(name, i);
  }

  void start(const std::string& group, int pods, int time) {
    for (int i = 0; i < pods; ++i) {
      cluster_.start("pod-" + group + "-" + std::to_string(i), i % 2 == 0 ? "n1" : "n2", at(time));
    }
  }

  void finish(const std::string& group, int pods) {
    for (int i = 0; i < pods; ++i) {
      cluster_.finish("pod-" + group + "-" + std::to_string(i), true);
    }
  }

  void remove(const std::string& group, int pods) {
    for (int i = 0; i < pods; ++i) {
      add(PodDeleted{"pod-" + group + "-" + std::to_string(i)});
    }
    add(PodGroupDeleted{"ml/" + group});
  }

  void session(int time) {
    cluster_.mirror().settle(at(time));
    recorder_.look_at(cluster_.mirror().take_changes(), cluster_.cluster(), at(time));
  }

  void finish_recording(int time) { recorder_.finish(cluster_.cluster(), at(time)); }

  Line line(std::size_t number) const {
    return read_line(document::parse_json(entries_.at(number).line, "").value()).value();
  }
  std::vector<Line> lines(Kind kind) const {
    std::vector<Line> found;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].line.empty()) continue;
      if (Line each = line(i); each.kind == kind) found.push_back(std::move(each));
    }
    return found;
  }
  // "waits", "10-", "10-110", "gone at 50", "10-110 deleted"
  std::vector<std::string> texts_of(const std::string& uid) const {
    const auto number = [](TimePoint time) {
      return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time - at(0)).count());
    };
    std::vector<std::string> texts;
    for (const Line& each : lines(Kind::job)) {
      const RecordedJob& job = each.job;
      if (job.uid != uid) continue;
      std::string text = !job.started && !job.ended ? "waits" : "";
      if (job.started) text = number(*job.started) + "-";
      if (!job.started && job.ended) text = "gone at ";
      if (job.ended) text += number(*job.ended);
      if (job.was_deleted) text += " deleted";
      if (job.lost_runs > 0) text += " lost " + std::to_string(job.lost_runs);
      if (job.was_evicted) text += " evicted";
      texts.push_back(text);
    }
    return texts;
  }

  mirror::MemoryCluster cluster_;
  std::vector<Entry> entries_;
  Recorder recorder_{[this](Entry entry) { entries_.push_back(std::move(entry)); }};
};

using Texts = std::vector<std::string>;

// HISTORY-4
TEST_F(HistoryRecorder, AJobHasItsShapeAndItsTimes) {
  gang("g", 3);
  session(1);
  start("g", 3, 10);
  session(11);
  finish("g", 3);
  session(50);
  finish_recording(60);
  const std::vector<Line> jobs = lines(Kind::job);
  ASSERT_FALSE(jobs.empty());
  const RecordedJob& job = jobs.back().job;
  EXPECT_EQ(job.name, "ml/g");
  EXPECT_EQ(job.queue, "research");
  EXPECT_EQ(job.priority, 5);
  EXPECT_EQ(job.minimum, 3);
  EXPECT_EQ(job.submitted, at(0));
  EXPECT_EQ(job.limit, std::chrono::hours(1));
  ASSERT_EQ(job.pods.size(), 1U);
  EXPECT_EQ(job.pods[0].count, 3);
  EXPECT_EQ(job.pods[0].request, (NamedAmounts{{"cpu", 1000}}));
  EXPECT_EQ(job.pods[0].constraints.node_selector.at("example.com/rack"), "r1");
  EXPECT_EQ(texts_of("g"), (Texts{"10-", "10-50"}));
}

// HISTORY-1: nothing of what pods do, or are given.
TEST_F(HistoryRecorder, LabelsOfPodsAreNotThere) {
  PodObject pod;
  pod.name_space = "ml";
  pod.name = "p";
  pod.uid = "p";
  pod.scheduler_name = "berth";
  pod.labels = {{"token", "secret-in-a-label"}};
  pod.request = {{"cpu", 1000}, {"pods", 1}};
  add(pod);
  session(1);
  finish_recording(2);
  ASSERT_EQ(lines(Kind::job).size(), 1U);
  for (const Entry& entry : entries_) {
    EXPECT_EQ(entry.line.find("secret"), std::string::npos) << entry.line;
  }
}

// HISTORY-5
TEST_F(HistoryRecorder, AStateThatLastsIsALine) {
  gang("g", 2);
  session(1);
  session(12);
  session(30);
  start("g", 2, 40);
  session(41);
  session(55);
  finish("g", 2);
  session(60);
  remove("g", 2);
  session(61);
  finish_recording(80);
  EXPECT_EQ(texts_of("g"), (Texts{"waits", "40-", "40-60"}));
}

TEST_F(HistoryRecorder, AJobThatIsGoneAtOnceIsNotMissed) {
  gang("g", 2);
  session(1);
  start("g", 2, 2);
  session(3);
  remove("g", 2);
  session(5);
  EXPECT_EQ(texts_of("g"), (Texts{"2-5 deleted"}));
}

TEST_F(HistoryRecorder, AJobThatIsEvictedAtOnceHasRun) {
  gang("g", 2);
  session(1);
  start("g", 2, 2);
  for (int i = 0; i < 2; ++i) cluster_.evict("pod-g-" + std::to_string(i));
  session(9);
  cluster_.remove_leaving();
  add(PodGroupDeleted{"ml/g"});
  session(10);
  EXPECT_EQ(texts_of("g"), (Texts{"2-9 deleted"}));
}

TEST_F(HistoryRecorder, PodsThatFinishAndGoBetweenTwoSessionsAreOver) {
  gang("g", 2);
  session(1);
  start("g", 2, 2);
  finish("g", 2);
  session(9);
  remove("g", 2);
  session(10);
  EXPECT_EQ(texts_of("g"), (Texts{"2-9"}));
}

TEST_F(HistoryRecorder, AJobThatIsDeletedWhileItWaitsNeverRan) {
  gang("g", 2);
  session(1);
  session(20);
  remove("g", 2);
  session(50);
  EXPECT_EQ(texts_of("g"), (Texts{"waits", "gone at 50 deleted"}));
}

TEST_F(HistoryRecorder, AnEvictedJobThatStartsAgainHasItsLastRun) {
  gang("g", 2);
  session(1);
  start("g", 2, 10);
  session(12);
  session(25);
  for (int i = 0; i < 2; ++i) cluster_.evict("pod-g-" + std::to_string(i));
  session(30);
  cluster_.remove_leaving();
  for (int i = 5; i < 7; ++i) add_pod("g", i);
  session(31);
  session(45);
  for (int i = 5; i < 7; ++i) cluster_.start("pod-g-" + std::to_string(i), "n1", at(60));
  session(61);
  session(75);
  for (int i = 5; i < 7; ++i) cluster_.finish("pod-g-" + std::to_string(i), true);
  session(90);
  finish_recording(91);
  EXPECT_EQ(texts_of("g"), (Texts{"10-", "waits lost 1", "60- lost 1", "60-90 lost 1"}));
}

TEST_F(HistoryRecorder, AJobThatEndsPodByPodRunsToTheLast) {
  gang("g", 2);
  session(1);
  start("g", 2, 2);
  session(3);
  finish("g", 1);
  session(20);
  cluster_.finish("pod-g-1", true);
  session(40);
  finish_recording(41);
  EXPECT_EQ(texts_of("g").back(), "2-40");
}

TEST_F(HistoryRecorder, AJobThatIsOverWhenItIsFirstSeenIsNotRecorded) {
  gang("g", 2);
  start("g", 2, 2);
  finish("g", 2);
  session(50);
  remove("g", 2);
  session(60);
  finish_recording(61);
  EXPECT_EQ(texts_of("g"), Texts());
}

TEST_F(HistoryRecorder, TheMostPodsCount) {
  add_group("g", 1);
  add_pod("g", 0);
  session(1);
  start("g", 1, 2);
  for (int i = 1; i < 5; ++i) add_pod("g", i);
  session(3);
  for (int i = 1; i < 5; ++i) add(PodDeleted{"pod-g-" + std::to_string(i)});
  session(4);
  finish_recording(5);
  ASSERT_FALSE(lines(Kind::job).empty());
  EXPECT_EQ(lines(Kind::job).back().job.pods.at(0).count, 5);
  EXPECT_EQ(lines(Kind::job).back().job.minimum, 1);
}

TEST_F(HistoryRecorder, TheRecordingBeginsWithTheFirstSession) {
  const TemporaryDirectory directory;
  add(NodeDeleted{"n1"});
  add(NodeDeleted{"n2"});
  session(1);
  add(sample("n1"));
  add(sample("n2"));
  gang("g", 2);
  session(2);
  start("g", 2, 2);
  session(3);
  finish("g", 2);
  session(5);
  finish_recording(6);
  Files files(directory.path(), 8 << 20, at(0));
  for (const Entry& entry : entries_) ASSERT_TRUE(files.add(entry));
  const Recording recording = read_recording(directory.path()).value();
  EXPECT_EQ(recording.begin, at(1));
  EXPECT_EQ(recording.nodes.size(), 2U);
  EXPECT_EQ(recording.jobs.at(0).ended, at(5));
}

// HISTORY-6
TEST_F(HistoryRecorder, ANodeIsALineWhenItChanges) {
  add(sample_queue());
  session(1);
  add(sample("n1"));  // as it was
  session(12);
  EXPECT_EQ(lines(Kind::node).size(), 2U);
  EXPECT_EQ(lines(Kind::queue).size(), 1U);
  NodeObject closed = sample("n1");
  closed.unschedulable = true;
  add(closed);
  add(NodeDeleted{"n2"});
  add(QueueDeleted{"research"});
  session(23);
  const std::vector<Line> nodes = lines(Kind::node);
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_TRUE(nodes[2].node.unschedulable);
  ASSERT_EQ(lines(Kind::node_gone).size(), 1U);
  EXPECT_EQ(lines(Kind::node_gone)[0].name, "n2");
  EXPECT_EQ(lines(Kind::queue_gone).size(), 1U);
  EXPECT_EQ(entries_.back().about, "Queue/research");
  EXPECT_TRUE(entries_.back().is_gone);
}

TEST_F(HistoryRecorder, PodsOfOthersAreTakenOffTheirNode) {
  PodObject pod;
  pod.name_space = "kube-system";
  pod.name = pod.uid = "proxy";
  pod.scheduler_name = "default-scheduler";
  pod.node_name = "n1";
  pod.phase = PodPhase::running;
  pod.request = {{"cpu", 500}, {"pods", 1}};
  add(pod);
  session(1);
  finish_recording(2);
  const std::vector<Line> nodes = lines(Kind::node);
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].node.allocatable.at("cpu"), 7000);
  EXPECT_EQ(nodes[1].node.allocatable.at("cpu"), 7500);
  EXPECT_TRUE(lines(Kind::job).empty());
}

TEST_F(HistoryRecorder, ACopyOfTheFilesCanBeReadAtAnyTime) {
  const TemporaryDirectory directory;
  gang("a", 2);
  gang("b", 2);
  session(1);
  start("a", 2, 5);
  session(12);
  finish_recording(20);
  Files files(directory.path(), 8 << 20, at(0));
  for (const Entry& entry : entries_) ASSERT_TRUE(files.add(entry));
  const Recording recording = read_recording(directory.path()).value();
  EXPECT_EQ(recording.nodes.size(), 2U);
  ASSERT_EQ(recording.jobs.size(), 2U);
  EXPECT_EQ(recording.jobs[0].started, at(5));
  EXPECT_FALSE(recording.jobs[1].started);
  EXPECT_EQ(recording.end, at(20));
}

TEST_F(HistoryRecorder, ARunThatNeverSawTheClusterWritesNothing) {
  finish_recording(5);
  EXPECT_TRUE(entries_.empty());
}

}  // namespace
}  // namespace berth::history::recorder_test
