#include "history/reader.h"

#include <gtest/gtest.h>

#include "history/samples.h"
#include "history/temporary_directory.h"

namespace berth::history::reader_test {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

JobFacts job(const std::string& uid, int submitted, std::optional<int> started = {},
             std::optional<int> ended = {}) {
  JobFacts facts;
  facts.name = "ml/" + uid;
  facts.uid = uid;
  facts.submitted = at(submitted);
  if (started) facts.started = at(*started);
  if (ended) facts.ended = at(*ended);
  return facts;
}

std::string line_of(const JobFacts& facts, int time) { return sample_job_line(facts, at(time)); }

std::string node(const std::string& name, int time) {
  return node_line(node_text(sample_node(name)), {}, at(time));
}

std::vector<std::string> names_of(const Recording& recording) {
  std::vector<std::string> names;
  for (const NodeObject& each : recording.nodes) names.push_back(each.name);
  return names;
}

class HistoryReader : public testing::Test {
 protected:
  Result<Recording> read(bool skips = false) const {
    traces::ReadOptions options;
    options.skip_bad_lines = skips;
    return read_recording(directory_.path(), options);
  }
  // "file:line: message"
  std::string error() const {
    std::string text = read().error().to_string();
    const std::string here = directory_.path() + "/";
    if (text.starts_with(here)) text.erase(0, here.size());
    return text;
  }
  TemporaryDirectory directory_;
};

// HISTORY-5
TEST_F(HistoryReader, TheLastLineOfAJobCounts) {
  directory_.write("history-1.jsonl",
                   joined({head_line(at(0), at(0)), line_of(job("a", 1), 5),
                           line_of(job("b", 2), 5), line_of(job("a", 1, 6), 10)}));
  directory_.write("history-2.jsonl",
                   joined({head_line(at(20), at(0)), line_of(job("a", 1, 6, 21), 22)}));
  directory_.write("other.jsonl", "nothing of ours");
  const Recording recording = read().value();
  ASSERT_EQ(recording.jobs.size(), 2U);
  EXPECT_EQ(recording.jobs[0].name, "ml/a");
  EXPECT_EQ(recording.jobs[0].ended, at(21));
  EXPECT_EQ(recording.jobs[1].started, std::nullopt);
  EXPECT_EQ(recording.begin, at(0));
  EXPECT_EQ(recording.end, at(22));
}

// HISTORY-11
TEST_F(HistoryReader, AJobThatALaterBerthdDidNotSeeEndedBetween) {
  directory_.write("history-1.jsonl",
                   joined({head_line(at(0), at(0)), line_of(job("ran", 1, 2), 5),
                           line_of(job("waited", 1), 5), line_of(job("stays", 1), 7)}));
  directory_.write("history-2.jsonl",
                   joined({head_line(at(50), at(50)), line_of(job("stays", 1, 51), 60)}));
  const Recording recording = read().value();
  ASSERT_EQ(recording.jobs.size(), 3U);
  EXPECT_EQ(recording.jobs[0].ended, at(7));
  EXPECT_FALSE(recording.jobs[0].was_deleted);
  EXPECT_EQ(recording.jobs[1].ended, at(7));
  EXPECT_TRUE(recording.jobs[1].was_deleted);
  EXPECT_EQ(recording.jobs[2].started, at(51));
  EXPECT_EQ(recording.jobs[2].ended, std::nullopt);
}

// HISTORY-10
TEST_F(HistoryReader, NodesAreThoseOfTheBeginning) {
  directory_.write(
      "history-1.jsonl",
      joined({head_line(at(20), at(0)), node("a", 10), node("b", 15), node("c", 20),
              node("late", 21), gone_line(Kind::node_gone, "a", at(25)), node("b", 26)}));
  const Recording recording = read().value();
  EXPECT_EQ(names_of(recording), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(recording.node_changes, 2);  // `late` came, `a` went; b is as it was
}

TEST_F(HistoryReader, NodesThatBerthdSeesAtFirstAreThoseOfTheBeginning) {
  directory_.write("history-1.jsonl", joined({head_line(at(0), at(0)), line_of(job("a", 0), 3),
                                              node("a", 10), node("b", 10), node("late", 20)}));
  EXPECT_EQ(names_of(read().value()), (std::vector<std::string>{"a", "b"}));
}

TEST_F(HistoryReader, QueuesAreAsTheyWereLast) {
  QueueObject changed = sample_queue();
  changed.weight = 9;
  directory_.write("history-1.jsonl",
                   joined({head_line(at(0), at(0)), queue_line(queue_text(sample_queue()), at(1)),
                           queue_line(queue_text(changed), at(5)),
                           gone_line(Kind::queue_gone, "research", at(9))}));
  const Recording recording = read().value();
  ASSERT_EQ(recording.queues.size(), 1U);
  EXPECT_EQ(recording.queues[0].weight, 9);
}

// HISTORY-9: as kill -9, or a full disk, leaves it.
TEST_F(HistoryReader, ALastLineThatWasNotFinishedIsCounted) {
  const std::string whole = line_of(job("b", 1), 5);
  for (std::size_t size = 1; size < whole.size(); size += 7) {
    directory_.write("history-1.jsonl", joined({head_line(at(0), at(0)), line_of(job("a", 1), 5)}) +
                                            whole.substr(0, size));
    directory_.write("history-2.jsonl", joined({head_line(at(9), at(9)), line_of(job("c", 1), 9)}));
    const auto recording = read();
    ASSERT_TRUE(recording) << recording.error().to_string();
    EXPECT_EQ(recording->cut, 1);
    EXPECT_EQ(recording->jobs.size(), 2U);
  }
}

TEST_F(HistoryReader, AFileThatWasCutInItsFirstLineHasNothing) {
  directory_.write("history-1.jsonl", R"({"kind":"Hist)");
  const Recording recording = read().value();
  EXPECT_EQ(recording.cut, 1);
  EXPECT_TRUE(recording.jobs.empty());
}

// HISTORY-8
TEST_F(HistoryReader, ABadLineIsAnErrorWithFileLineAndField) {
  directory_.write("history-1.jsonl",
                   joined({head_line(at(0), at(0)),
                           R"({"kind":"Queue","time":"2026-01-01T00:00:00Z","metadata":)"
                           R"({"name":"q"},"spec":{"weight":"heavy"}})",
                           "{cut", line_of(job("a", 1), 5)}));
  EXPECT_EQ(error(),
            "history-1.jsonl:2: spec.weight: \"heavy\" is not a whole number, expected a whole "
            "number from 1 to 65535");
  const Recording recording = read(true).value();
  EXPECT_EQ(recording.skipped.bad, 2);
  EXPECT_EQ(recording.skipped.first.size(), 2U);
  EXPECT_EQ(recording.jobs.size(), 1U);
  EXPECT_EQ(recording.cut, 0);
}

TEST_F(HistoryReader, AFileBeginsWithItsHead) {
  directory_.write("history-1.jsonl", joined({line_of(job("a", 1), 5)}));
  EXPECT_EQ(error(), "history-1.jsonl:1: no line of kind History before it, expected one first");
}

TEST_F(HistoryReader, ALineThatIsTooLongIsBad) {
  directory_.write("history-1.jsonl",
                   joined({head_line(at(0), at(0)), std::string(70'000, ' ') + "x"}));
  EXPECT_EQ(error(), "history-1.jsonl:2: more than 65536 bytes, expected a shorter line");
}

TEST_F(HistoryReader, ADirectoryWithoutFilesIsAnError) {
  EXPECT_EQ(read().error().message, "no files, expected some named history-*.jsonl");
}

TEST_F(HistoryReader, OnlyTheFirstJobsAreRead) {
  directory_.write("history-1.jsonl",
                   joined({head_line(at(0), at(0)), line_of(job("a", 1), 5),
                           line_of(job("b", 1), 5), line_of(job("a", 1, 2), 6)}));
  traces::ReadOptions options;
  options.most = 1;
  const Recording recording = read_recording(directory_.path(), options).value();
  ASSERT_EQ(recording.jobs.size(), 1U);
  EXPECT_EQ(recording.jobs[0].started, at(2));
}

TEST_F(HistoryReader, ARecordingIsKnownByItsContent) {
  EXPECT_TRUE(is_recording(directory_.path()));
  EXPECT_TRUE(is_recording(directory_.write("any", head_line(at(0), at(0)))));
  EXPECT_FALSE(is_recording(directory_.write("t.swf", "; MaxNodes: 3\n")));
  EXPECT_FALSE(is_recording(directory_.write("empty", "")));
  EXPECT_FALSE(is_recording(directory_.path() + "/none"));
}

}  // namespace
}  // namespace berth::history::reader_test
