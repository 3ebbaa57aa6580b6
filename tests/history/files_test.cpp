#include "history/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "history/reader.h"
#include "history/samples.h"
#include "history/temporary_directory.h"

namespace berth::history::files_test {
namespace {

constexpr std::uint64_t kBytes = 8 * 100'000;  // the least is a line of 64 KiB in an eighth

Entry job(int number) {
  JobFacts facts = sample_job("u" + std::to_string(number));
  return {sample_job_line(facts, at(number)), "", false, at(number)};
}

Entry node(const std::string& name, int time) {
  return {node_line(node_text(sample_node(name)), {}, at(time)), "Node/" + name, false, at(time)};
}

// While it lives, no file may be longer.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

// HISTORY-3
TEST(HistoryFiles, AllFilesTogetherStayWithinTheSize) {
  const TemporaryDirectory directory;
  Files files(directory.path(), kBytes, at(0));
  ASSERT_TRUE(files.add(node("n1", 0)));
  std::uint64_t most = 0;
  for (int i = 1; i <= 5'000; ++i) {
    ASSERT_TRUE(files.add(job(i)));
    if (i % 100 == 0) most = std::max(most, directory.bytes());
  }
  EXPECT_LE(most, kBytes);
  EXPECT_GT(most, kBytes * 3 / 4);
  const Recording recording = read_recording(directory.path()).value();
  EXPECT_EQ(recording.jobs.back().uid, "u5000");
  EXPECT_GT(recording.jobs.size(), 500U);
}

// HISTORY-2
TEST(HistoryFiles, EachFileBeginsWithAllNodesAndQueues) {
  const TemporaryDirectory directory;
  Files files(directory.path(), kBytes, at(0));
  ASSERT_TRUE(files.add(node("n1", 0)));
  ASSERT_TRUE(files.add(node("n2", 0)));
  ASSERT_TRUE(
      files.add({queue_line(queue_text(sample_queue()), at(0)), "Queue/research", false, at(0)}));
  ASSERT_TRUE(files.add({gone_line(Kind::node_gone, "n1", at(1)), "Node/n1", true, at(1)}));
  for (int i = 2; i < 400; ++i) ASSERT_TRUE(files.add(job(i)));
  const std::vector<std::string> names = directory.files();
  ASSERT_GE(names.size(), 2U);
  const Recording first = read_recording(directory.path() + "/" + names[0]).value();
  const Recording last = read_recording(directory.path() + "/" + names.back()).value();
  EXPECT_EQ(first.nodes.size(), 2U);
  ASSERT_EQ(last.nodes.size(), 1U);
  EXPECT_EQ(last.nodes[0].name, "n2");
  EXPECT_EQ(last.queues.size(), 1U);
}

TEST(HistoryFiles, AnotherRunHasFilesOfItsOwn) {
  const TemporaryDirectory directory;
  { ASSERT_TRUE(Files(directory.path(), kBytes, at(0)).add(job(1))); }
  { ASSERT_TRUE(Files(directory.path(), kBytes, at(50)).add(job(51))); }
  EXPECT_EQ(directory.files().size(), 2U);
  EXPECT_EQ(read_recording(directory.path()).value().jobs.size(), 2U);
}

TEST(HistoryFiles, FilesOfOthersAreLeftAlone) {
  const TemporaryDirectory directory;
  directory.write("notes.txt", std::string(kBytes, 'x'));
  Files files(directory.path(), kBytes, at(0));
  ASSERT_TRUE(files.add(job(1)));
  EXPECT_EQ(directory.files().size(), 2U);
}

TEST(HistoryFiles, TheDirectoryIsMade) {
  const TemporaryDirectory directory;
  Files files(directory.path() + "/history", kBytes, at(0));
  EXPECT_TRUE(files.add(job(1)));
  Files elsewhere(directory.write("file", "") + "/history", kBytes, at(0));
  const Status added = elsewhere.add(job(1));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message, "cannot be made: Not a directory");
}

// HISTORY-7: a disk that is full in the middle of a line.
TEST(HistoryFiles, WhatIsCutIsTakenBackAndTheNextFileIsWhole) {
  const TemporaryDirectory directory;
  Files files(directory.path(), kBytes, at(0));
  ASSERT_TRUE(files.add(node("n1", 0)));
  ASSERT_TRUE(files.add(job(1)));
  const auto size = static_cast<rlim_t>(directory.bytes());
  {
    const FileSizeLimit limit(size + 20);
    const Status added = files.add(job(2));
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().message, "cannot be written: File too large");
  }
  {
    const FileSizeLimit limit(50);
    EXPECT_FALSE(files.add(node("n2", 3)));  // not even a head finds room
  }
  EXPECT_EQ(directory.files().size(), 1U);
  EXPECT_EQ(directory.bytes(), size);
  ASSERT_TRUE(files.add(job(4)));
  ASSERT_EQ(directory.files().size(), 2U);
  const Recording second =
      read_recording(directory.path() + "/" + directory.files().back()).value();
  EXPECT_EQ(second.nodes.size(), 2U);
  const Recording all = read_recording(directory.path()).value();
  EXPECT_EQ(all.cut, 0);
  ASSERT_EQ(all.jobs.size(), 2U);
  EXPECT_EQ(all.jobs[1].uid, "u4");
}

TEST(HistoryFiles, ASizeThatHasNoRoomForTheNodesIsAnError) {
  const TemporaryDirectory directory;
  Files files(directory.path(), 8 * 66'000, at(0));
  EXPECT_TRUE(files.add(node("n1", 0)));
  for (int i = 2; i < 400; ++i) static_cast<void>(files.add(node("n" + std::to_string(i), 1)));
  const Status added = files.add(job(9));
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().message.find("an eighth of `history.size`, is too small"),
            std::string::npos);
  EXPECT_LE(directory.bytes(), 8U * 66'000U);
}

TEST(HistoryFiles, ALineThatIsTooLongIsLostAlone) {
  const TemporaryDirectory directory;
  Files files(directory.path(), kBytes, at(0));
  ASSERT_TRUE(files.add(job(1)));
  EXPECT_EQ(files.add({std::string(70'000, 'x'), "", false, at(2)}).error().message,
            "a line of 70000 bytes, expected at most 65536");
  ASSERT_TRUE(files.add(job(3)));
  EXPECT_EQ(directory.files().size(), 1U);
}

}  // namespace
}  // namespace berth::history::files_test
