#include <gtest/gtest.h>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"

// Jobs whose user made no PodGroup, in the real berthd.

namespace berth::daemon {
namespace {

std::string job_yaml(const std::string& name, int pods, const std::string& annotations) {
  std::string text = fmt::format(
      "---\n{{apiVersion: batch/v1, kind: Job, metadata: {{name: {0}, namespace: ml, uid: uid-{0},"
      " annotations: {{{2}}}}}, spec: {{parallelism: {1}, completions: {1}}}}}\n",
      name, pods, annotations);
  for (int i = 0; i < pods; ++i) {
    text += fmt::format(
        "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {0}-{1}, namespace: ml,"
        " ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: {0}, uid: uid-{0},"
        " controller: true}}]}}, spec: {{schedulerName: berth, containers: [{{name: c, image: i,"
        " resources: {{requests: {{cpu: \"1\"}}}}}}]}}}}\n",
        name, i);
  }
  return text;
}

TEST(AppOwnedGangs, OWNED11_AnAnnotatedJobRunsWholeOrNotAtAll) {
  TemporaryDirectory directory;
  directory.write("1-nodes.yaml", nodes_yaml(1, 6));
  directory.write("2-job.yaml", job_yaml("train", 8, "berth.dev/gang: all"));
  BerthdProcess berthd({"--embedded", directory.path().string()});
  ASSERT_TRUE(berthd.says("job ml/train-")) << berthd.printed();
  ASSERT_TRUE(
      berthd.says("waits: its minimum needs 8 cpu, and the whole cluster can give it "
                  "at most 6"))
      << berthd.printed();
  EXPECT_FALSE(berthd.has_printed("planned:")) << berthd.printed();
  directory.write("1-nodes.yaml", nodes_yaml(2, 6));
  ASSERT_TRUE(berthd.says("is Running: 8 of 8 pods run, minimum 8")) << berthd.printed();
}

TEST(AppOwnedGangs, OWNED11_TheNumberIsTheOwnersAndCanBeEdited) {
  TemporaryDirectory directory;
  directory.write("1-nodes.yaml", nodes_yaml(1, 6));
  directory.write("2-job.yaml", job_yaml("train", 8, "berth.dev/gang: \"8\""));
  BerthdProcess berthd({"--embedded", directory.path().string()});
  ASSERT_TRUE(berthd.says("its minimum needs 8 cpu")) << berthd.printed();
  directory.write("2-job.yaml", job_yaml("train", 8, "berth.dev/gang: \"5\""));
  ASSERT_TRUE(berthd.says("is Running: ")) << berthd.printed();
}

TEST(AppOwnedGangs, OWNED4_ABadAnnotationKeepsThePodsWaitingWithAReason) {
  TemporaryDirectory directory;
  const std::string file =
      directory.write("all.yaml", nodes_yaml(2, 4) + job_yaml("train", 2, "berth.dev/gang: eight"));
  BerthdProcess berthd({"--embedded", file});
  ASSERT_TRUE(
      berthd.says("job ml/train-1 waits: its gang cannot be made: annotation "
                  "berth.dev/gang of Job ml/train is \"eight\", expected a number from 1"))
      << berthd.printed();
  EXPECT_FALSE(berthd.has_printed("planned:")) << berthd.printed();
}

// A typing error, before the gang starts: it keeps the number that it had.
TEST(AppOwnedGangs, OWNED16_AnEditThatCannotBeReadChangesNothing) {
  TemporaryDirectory directory;
  directory.write("1-nodes.yaml", nodes_yaml(1, 6));
  directory.write("2-job.yaml", job_yaml("train", 8, "berth.dev/gang: \"8\""));
  BerthdProcess berthd({"--embedded", directory.path().string()});
  ASSERT_TRUE(berthd.says("its minimum needs 8 cpu")) << berthd.printed();
  directory.write("2-job.yaml",
                  job_yaml("train", 8, "berth.dev/gang: \"eigth\"") + job_yaml("marker", 1, ""));
  ASSERT_TRUE(berthd.says("job ml/marker-0 planned")) << berthd.printed();
  directory.write("1-nodes.yaml", nodes_yaml(2, 6));
  ASSERT_TRUE(berthd.says("is Running: 8 of 8 pods run, minimum 8")) << berthd.printed();
  EXPECT_FALSE(berthd.has_printed("its gang cannot be made")) << berthd.printed();
}

TEST(AppOwnedGangs, OWNED9_PodsThatArePlannedOneByOneSaySo) {
  TemporaryDirectory directory;
  const std::string file = directory.write("all.yaml", nodes_yaml(1, 2) + job_yaml("train", 4, ""));
  BerthdProcess berthd({"--embedded", file, "--speed", "20"});
  ASSERT_TRUE(
      berthd.says("; Job ml/train wants 4 pods at once, and they are planned one by "
                  "one; annotation berth.dev/gang: all on the Job makes them one gang"))
      << berthd.printed();
  // Once more for itself, with the event on the Job, when the pods have waited for a while.
  EXPECT_TRUE(berthd.says("info    Job ml/train wants 4 pods at once")) << berthd.printed();
}

TEST(AppOwnedGangs, OWNED6_TheConfigurationMakesAGangWithoutAnAnnotation) {
  TemporaryDirectory directory;
  const std::string file = directory.write("all.yaml", nodes_yaml(1, 2) + job_yaml("train", 4, ""));
  const std::string config =
      directory.write("berth.cfg", std::string(kSession) + "jobs: {gang: all}\n");
  BerthdProcess berthd({"--embedded", file, "--config", config});
  ASSERT_TRUE(berthd.says("its minimum needs 4 cpu")) << berthd.printed();
  EXPECT_FALSE(berthd.has_printed("planned:")) << berthd.printed();
}

}  // namespace
}  // namespace berth::daemon
