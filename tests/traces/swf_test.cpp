#include "traces/swf.h"

#include <gtest/gtest.h>

#include "traces/lines.h"
#include "traces/samples.h"

namespace berth::traces::swf_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Result<Trace> read(std::string_view text, const SwfOptions& options = {}) {
  TextBytes bytes(text);
  return read_swf(bytes, "log.swf", options);
}

TraceJob one(std::string_view line, const SwfOptions& options = {}) {
  auto trace = read(line, options);
  EXPECT_TRUE(trace) << trace.error().to_string();
  if (!trace || trace->jobs.size() != 1) return {};
  return trace->jobs.front();
}

std::string error_of(std::string_view text, const SwfOptions& options = {}) {
  const auto trace = read(text, options);
  return trace ? "none" : trace.error().to_string();
}

// The first lines of two logs of the archive, shortened.
constexpr std::string_view kLog =
    "; Version: 2.2\n"
    "; Computer: IBM SP2\n"
    "; Information: http://www.pdc.kth.se/\n"
    ";              http://www.cs.huji.ac.il/labs/parallel/workload/\n"
    "; UnixStartTime: 843480031\n"
    "; MaxNodes: 100 (of them 4 for interactive use)\n"
    ";MaxProcs:200\n"
    "; Queue:  0  interactive    \n"
    "; Queue:  1  express        \n"
    ";\n"
    "; Note: THIS IS A CLEANED VERSION OF THE LOG!\n"
    ";         job<=14 (14 jobs removed)\n"
    "\n"
    "   15   599850 192180   3477    4     -1    -1    4  53940    -1  1  12  13  -1  1  2 -1 -1\n"
    "   16   600022  11940   2488   32     -1    -1   25   3600  2048  0  13  -1  -1 -1 -1 -1 -1\n";

// TRACE-10
TEST(Swf, IsReadWithItsHeader) {
  const auto trace = read(std::string(kLog) + "; Late: x\n");
  ASSERT_TRUE(trace) << trace.error().to_string();
  ASSERT_EQ(trace->jobs.size(), 2U);
  TraceJob first;
  first.id = "15";
  first.submit = seconds(599'850);
  first.run = seconds(3'477);
  first.limit = seconds(53'940);
  first.processors = 4;
  first.user = "12";
  first.group = "13";
  first.queue = "1";
  EXPECT_EQ(trace->jobs[0], first);
  EXPECT_EQ(trace->jobs[1].processors, 25);
  EXPECT_EQ(trace->jobs[1].memory_kib, 2048);
  EXPECT_EQ(trace->jobs[1].group, "");
  EXPECT_EQ(trace->skipped.bad, 0);
}

// TRACE-6
TEST(Swf, TakesAllocatedProcessorsIfNoneAreRequested) {
  EXPECT_EQ(one("1 0 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1").processors, 4);
  EXPECT_EQ(one("1 0 0 5 8 -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1").processors, 8);
  EXPECT_EQ(one("1 0 0 5 8 -1 -1 0 -1 -1 1 1 1 1 1 1 -1 -1").processors, 8);
  EXPECT_EQ(one("1 0 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1").limit, std::nullopt);
  EXPECT_EQ(one("1 0 0 5 8 -1 -1 4 0 0 1 1 1 1 1 1 -1 -1").limit, std::nullopt);
  EXPECT_EQ(error_of("1 0 0 5 -1 -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1"),
            "log.swf:1: field 5 (allocated processors): \"-1\", expected a whole number from 1 to "
            "10000000");
}

TEST(Swf, HasFractionsOfSeconds) {
  const TraceJob job = one("1 0.25 0.5 1.5 8 0.75 -1 4 2.75 -1 1 1 1 1 1 1 -1 -1.5");
  EXPECT_EQ(job.submit, milliseconds(250));
  EXPECT_EQ(job.run, milliseconds(1'500));
  EXPECT_EQ(job.limit, milliseconds(2'750));
}

// TRACE-9
TEST(Swf, EndsJobsAtTheirLimit) {
  constexpr std::string_view kLine = "1 0 0 90 8 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1";
  SwfOptions as_it_was;
  as_it_was.ends_at_limit = false;
  EXPECT_EQ(one(kLine).run, seconds(60));
  EXPECT_EQ(one(kLine, as_it_was).run, seconds(90));
  EXPECT_EQ(one(kLine, as_it_was).limit, seconds(60));
}

// TRACE-8
TEST(Swf, SaysWhenAJobWasCancelled) {
  const TraceJob waiting = one("1 7 30 0 -1 -1 -1 4 60 -1 5 1 1 1 1 1 -1 -1");
  EXPECT_EQ(waiting.cancelled_after, seconds(30));
  EXPECT_EQ(waiting.run, seconds(0));
  EXPECT_EQ(one("1 7 -1 -1 -1 -1 -1 4 60 -1 5 1 1 1 1 1 -1 -1").cancelled_after, seconds(0));
  const TraceJob running = one("1 7 30 20 4 -1 -1 4 60 -1 5 1 1 1 1 1 -1 -1");
  EXPECT_EQ(running.cancelled_after, std::nullopt);
  EXPECT_EQ(running.run, seconds(20));
  EXPECT_EQ(one("1 7 30 0 4 -1 -1 4 60 -1 0 1 1 1 1 1 -1 -1").cancelled_after, std::nullopt);
  EXPECT_EQ(error_of("1 7 30 -1 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1"),
            "log.swf:1: field 4 (run time): \"-1\", expected seconds from 0 to 3000000000");
}

// TRACE-7
TEST(Swf, LeavesPiecesOfJobsOut) {
  const auto trace = read(
      "1 0 5 30 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n"
      "1 0 5 10 4 -1 -1 4 60 -1 2 1 1 1 1 1 -1 -1\n"
      "1 -1 5 10 4 -1 -1 4 60 -1 2 1 1 1 1 1 -1 -1\n"
      "1 -1 5 10 4 -1 -1 4 60 -1 3 1 1 1 1 1 -1 -1\n"
      "2 9 5 10 4 -1 -1 4 60 -1 0 1 1 1 1 1 -1 -1\n"
      "2 9 5 10 4 -1 -1 4 60 -1 4 1 1 1 1 1 -1 -1\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->skipped.partial, 4);
}

// TRACE-5
TEST(Swf, HasEighteenNumbersInALine) {
  EXPECT_EQ(error_of("\n1 0 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1"),
            "log.swf:2: field 18 (think time): missing, expected 18 fields");
  EXPECT_EQ(error_of("1 0 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1 7"),
            "log.swf:1: field 19 (beyond the last): \"7\", expected the end of the line");
  EXPECT_EQ(error_of("1 0 0 5 8 cpu -1 4 -1 -1 1 1 1 1 1 1 -1 -1"),
            "log.swf:1: field 6 (average CPU time): \"cpu\", expected a number such as 12 or 12.5");
  EXPECT_EQ(error_of("1 0 0 5 8 -1 -1 4 -1 -1 6 1 1 1 1 1 -1 -1"),
            "log.swf:1: field 11 (status): \"6\", expected a whole number from -1 to 5");
  EXPECT_EQ(error_of("-1 0 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1"),
            "log.swf:1: field 1 (job number): \"-1\", expected a whole number from 0 to "
            "1000000000000000");
  EXPECT_EQ(error_of("1 -1 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1"),
            "log.swf:1: field 2 (submit time): \"-1\", expected seconds from 0 to 3000000000");
  EXPECT_EQ(error_of("1 0 0 5 8 -1 -1 4 -1 -2 1 1 1 1 1 1 -1 -1"),
            "log.swf:1: field 10 (requested memory): \"-2\", expected KiB from 0 to 1000000000000, "
            "or -1");
}

TEST(Swf, MayHaveTabsAndLineEndsOfDos) {
  const TraceJob job = one("\xEF\xBB\xBF;x\r\n\t1\t0 0  5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1\t-1 \r\n");
  EXPECT_EQ(job.run, seconds(5));
}

// TRACE-3
TEST(Swf, MayHaveBadLinesThatAreCounted) {
  std::string text = "1 0 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n";
  for (int i = 0; i < 12; ++i) text += "bad\n";
  text += std::string(100'000, '1') + "\n2 0 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n";
  EXPECT_EQ(error_of(text),
            "log.swf:2: field 1 (job number): \"bad\", expected a number such as 12 or 12.5");
  SwfOptions options;
  options.skip_bad_lines = true;
  const auto trace = read(text, options);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->skipped.bad, 13);
  ASSERT_EQ(trace->skipped.first.size(), kSkippedShown);
  EXPECT_EQ(trace->skipped.first[9].where, "log.swf:11");
}

TEST(Swf, RefusesALineThatIsTooLong) {
  EXPECT_EQ(error_of(std::string(kLineMost + 1, '1')),
            "log.swf:1: more than 65536 bytes, expected a shorter line");
}

// TRACE-4
TEST(Swf, IsReadUpToANumberOfJobs) {
  SwfOptions options;
  options.most = 2;
  const auto trace = read(std::string(kLog) + "bad\n", options);
  ASSERT_TRUE(trace) << trace.error().to_string();
  EXPECT_EQ(trace->jobs.size(), 2U);
}

// TRACE-11
TEST(Swf, IsSortedBySubmission) {
  const auto trace = read(
      "1 9 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n"
      "2 3 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n"
      "3 9 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n"
      "4 3 0 5 8 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n");
  ASSERT_TRUE(trace);
  std::string order;
  for (const TraceJob& job : trace->jobs) order += job.id;
  EXPECT_EQ(order, "2413");
}

// TRACE-1
TEST(Swf, MayBePackedByGzip) {
  const auto plain = read(kLog);
  const std::string packed = gzip(kLog);
  const auto unpacked = read(packed);
  ASSERT_TRUE(plain && unpacked);
  EXPECT_EQ(plain->jobs, unpacked->jobs);
  EXPECT_EQ(error_of(std::string_view(packed).substr(0, packed.size() - 4)),
            "log.swf:16: broken gzip (it ends too early), expected gzip as it was written");
}

TEST(Swf, OfNothingHasNoJobs) { EXPECT_TRUE(read("")->jobs.empty()); }

TEST(Swf, ThatIsNotThereIsAnError) {
  EXPECT_EQ(read_swf_file("/nowhere/log.swf").error().where, "/nowhere/log.swf");
  EXPECT_EQ(read_swf_file("/").error().to_string(), "/: cannot be read: Is a directory");
}

}  // namespace
}  // namespace berth::traces::swf_test
