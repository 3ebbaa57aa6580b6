#include "history/lines.h"

#include <gtest/gtest.h>

#include "document/readers.h"
#include "history/samples.h"

namespace berth::history::lines_test {
namespace {

Result<Line> read(const std::string& text) {
  const auto value = document::parse_json(text, "");
  if (!value) return value.error();
  return read_line(*value);
}

TEST(HistoryLines, ANodeComesBackWithoutWhatOthersTake) {
  const NodeObject node = sample_node();
  const std::string text = node_line(node_text(node), {{"cpu", 500}, {"pods", 3}}, at(5));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const Line line = read(text).value();
  NodeObject expected = node;
  expected.allocatable["cpu"] = 7000;
  expected.allocatable["pods"] = 107;
  EXPECT_EQ(line.kind, Kind::node);
  EXPECT_EQ(line.time, at(5));
  EXPECT_EQ(line.node, expected);
}

TEST(HistoryLines, OthersTakeNoMoreThanThereIs) {
  const Line line = read(node_line(node_text(sample_node()), {{"cpu", 9'000}}, at(5))).value();
  EXPECT_EQ(line.node.allocatable.at("cpu"), 0);
}

TEST(HistoryLines, AQueueComesBack) {
  const Line line = read(queue_line(queue_text(sample_queue()), at(5))).value();
  EXPECT_EQ(line.kind, Kind::queue);
  EXPECT_EQ(line.queue, sample_queue());
  QueueObject plain;
  plain.name = plain.uid = "plain";
  EXPECT_EQ(read(queue_line(queue_text(plain), at(5))).value().queue, plain);
}

TEST(HistoryLines, AJobComesBack) {
  const std::vector<RecordedPods> pods{sample_pods(3), {2, {{"cpu", 100}}, {}}};
  const Line line = read(job_line(sample_job(), pods_text(pods), at(120))).value();
  EXPECT_EQ(line.kind, Kind::job);
  EXPECT_EQ(static_cast<const JobFacts&>(line.job), sample_job());
  EXPECT_EQ(line.job.pods, pods);
}

TEST(HistoryLines, AJobThatWaitsHasNoStart) {
  JobFacts facts;
  facts.name = "ml/train";
  facts.uid = "u1";
  facts.submitted = at(3);
  const Line line = read(sample_job_line(facts, at(4))).value();
  EXPECT_EQ(static_cast<const JobFacts&>(line.job), facts);
}

TEST(HistoryLines, OtherKindsComeBack) {
  const Line head = read(head_line(at(9), at(1))).value();
  EXPECT_EQ(head.kind, Kind::history);
  EXPECT_EQ(head.time, at(9));
  EXPECT_EQ(head.begun, at(1));
  EXPECT_EQ(read(gone_line(Kind::node_gone, "n1", at(9))).value().name, "n1");
  EXPECT_EQ(read(gone_line(Kind::queue_gone, "q", at(9))).value().kind, Kind::queue_gone);
  EXPECT_EQ(read(end_line(at(9))).value().kind, Kind::end);
}

TEST(HistoryLines, NamesThatAreNotUtf8DoNotSpoilALine) {
  JobFacts facts = sample_job();
  facts.queue = "re\xffsearch";
  EXPECT_TRUE(read(sample_job_line(facts, at(4))));
}

struct BadLine {
  const char* text;
  const char* error;
};

class HistoryBadLine : public testing::TestWithParam<BadLine> {};

TEST_P(HistoryBadLine, NamesTheField) {
  const auto line = read(GetParam().text);
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().message.substr(0, std::string(GetParam().error).size()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    All, HistoryBadLine,
    testing::Values(
        BadLine{R"([])", "a list is not a map"},
        BadLine{R"({"time":"2026-01-01T00:00:00Z"})", "`kind` is missing"},
        BadLine{R"({"kind":"Jobs","time":"2026-01-01T00:00:00Z"})",
                "kind: unknown kind \"Jobs\"; did you mean \"Job\"?"},
        BadLine{R"({"kind":"End","time":"soon"})", "time: "},
        BadLine{R"({"kind":"History","time":"2026-01-01T00:00:00Z","version":2,)"
                R"("begun":"2026-01-01T00:00:00Z"})",
                "version: version 2, expected 1"},
        BadLine{R"({"kind":"Node","time":"2026-01-01T00:00:00Z","metadata":{"name":"n"},)"
                R"("status":{"allocatable":{"cpu":"many"}}})",
                "status.allocatable.cpu: "},
        BadLine{R"({"kind":"Queue","time":"2026-01-01T00:00:00Z","metadata":{"name":"q"},)"
                R"("spec":{"weight":0}})",
                "spec.weight: "},
        BadLine{R"({"kind":"Job","time":"2026-01-01T00:00:00Z","name":"a/b"})", "`uid` is missing"},
        BadLine{R"({"kind":"Job","time":"2026-01-01T00:00:00Z","name":"a/b","uid":"u",)"
                R"("submitted":"2026-01-01T00:00:00Z"})",
                "`pods` is missing, expected the pods of the job"},
        BadLine{R"({"kind":"Job","time":"2026-01-01T00:00:00Z","name":"a/b","uid":"u",)"
                R"("submitted":"2026-01-01T00:00:00Z","pods":[{"count":0}]})",
                "pods[0].count: "},
        BadLine{R"({"kind":"Job","time":"2026-01-01T00:00:00Z","name":"a/b","uid":"u",)"
                R"("submitted":"2026-01-01T00:00:00Z","started":"2026-01-01T00:00:09Z",)"
                R"("ended":"2026-01-01T00:00:08Z","pods":[{"count":1}]})",
                "ended: a time before the start, expected a later one"}));

}  // namespace
}  // namespace berth::history::lines_test
