#include "traces/openb.h"

#include <gtest/gtest.h>

#include "traces/samples.h"

namespace berth::traces::openb_test {
namespace {

using std::chrono::seconds;

using Amounts = std::map<std::string, std::int64_t>;

constexpr std::string_view kColumns =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n";

// As in the lists of the trace.
constexpr std::string_view kPods =
    "pod-0,12000,16384,1,1000,,LS,Running,0,12537496,0\n"
    "pod-1,6000,12288,1,460,,LS,Running,427061,12902960,427071\n"
    "pod-2,16500,51200,0,0,,LS,Pending,10361959,10362022,\n"
    "pod-3,88000,327680,8,1000,V100M16|V100M32|V100M32,Burstable,Succeeded,9437497,10769854,"
    "9437497\n";

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  TextBytes bytes(text);
  return read_openb_pods(bytes, "pods.csv", options);
}

std::string error_of(const std::string& lines) {
  const auto trace = read(std::string(kColumns) + lines);
  return trace ? "none" : trace.error().to_string();
}

Result<std::vector<OpenbNode>> read_nodes(std::string_view text) {
  TextBytes bytes(text);
  return read_openb_nodes(bytes, "nodes.csv");
}

TEST(Openb, IsAJobForEachPod) {
  const auto trace = read(std::string(kColumns) + std::string(kPods));
  ASSERT_TRUE(trace) << trace.error().to_string();
  ASSERT_EQ(trace->jobs.size(), 4U);
  const TraceJob& first = trace->jobs[0];
  EXPECT_EQ(first.id, "pod-0");
  EXPECT_EQ(first.run, seconds(12'537'496));
  EXPECT_EQ(first.queue, "LS");
  EXPECT_EQ(first.processors, 1);
  EXPECT_TRUE(first.models.empty());
  // TRACE-11: pod-3 comes before pod-2.
  EXPECT_EQ(trace->jobs[2].id, "pod-3");
  EXPECT_EQ(trace->jobs[2].queue, "Burstable");
}

// TRACE-13
TEST(Openb, HasWholeGpusAndPartsOfOne) {
  const auto trace = read(std::string(kColumns) + std::string(kPods));
  ASSERT_TRUE(trace);
  EXPECT_EQ(
      trace->jobs[0].request,
      (Amounts{
          {kCpu, 12'000}, {kMemory, std::int64_t{16'384} << 20}, {kGpu, 1}, {kGpuMilli, 1'000}}));
  EXPECT_EQ(trace->jobs[1].request,
            (Amounts{{kCpu, 6'000}, {kMemory, std::int64_t{12'288} << 20}, {kGpuMilli, 460}}));
  EXPECT_EQ(trace->jobs[2].request.at(kGpu), 8);
  EXPECT_EQ(trace->jobs[2].request.at(kGpuMilli), 8'000);
  EXPECT_EQ(trace->jobs[3].request,
            (Amounts{{kCpu, 16'500}, {kMemory, std::int64_t{51'200} << 20}}));
  EXPECT_EQ(error_of("p,1,1,2,500,,LS,Running,0,1,0\n"),
            "pods.csv:2: field 5 (gpu_milli): \"500\", expected a whole number from 1000 to 1000");
  EXPECT_EQ(error_of("p,1,1,1,0,,LS,Running,0,1,0\n"),
            "pods.csv:2: field 5 (gpu_milli): \"0\", expected a whole number from 1 to 1000");
  EXPECT_EQ(error_of("p,1,1,0,10,,LS,Running,0,1,0\n"),
            "pods.csv:2: field 5 (gpu_milli): \"10\", expected a whole number from 0 to 0");
}

// TRACE-15
TEST(Openb, HasModelsThatAPodAccepts) {
  const auto trace = read(std::string(kColumns) + std::string(kPods) +
                          "pod-4,1,1,1,1000,nan,LS,Running,99999999,99999999,nan\n");
  ASSERT_TRUE(trace) << trace.error().to_string();
  EXPECT_EQ(trace->jobs[2].models, (std::vector<std::string>{"V100M16", "V100M32"}));
  EXPECT_TRUE(trace->jobs[4].models.empty());
}

// TRACE-14
TEST(Openb, RunsFromTheStartToTheDeletion) {
  const std::string text = std::string(kColumns) + std::string(kPods);
  const auto trace = read(text);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->jobs[1].submit, seconds(427'061));
  EXPECT_EQ(trace->jobs[1].run, seconds(12'902'960 - 427'071));
  EXPECT_EQ(trace->jobs[3].run, seconds(63));
  EXPECT_EQ(trace->jobs[3].cancelled_after, std::nullopt);
  EXPECT_EQ(error_of("p,1,1,0,0,,LS,Running,5,4,\n"),
            "pods.csv:2: field 10 (deletion_time): \"4\", expected no time before the pod's "
            "creation or start");
  EXPECT_EQ(error_of("p,1,1,0,0,,LS,Running,5,,\n"),
            "pods.csv:2: field 10 (deletion_time): \"\", expected seconds from 0 to 3000000000");
}

// TRACE-12
TEST(Openb, FindsColumnsByTheirNames) {
  const auto trace = read(
      ",creation_time,deletion_time,name,num_gpu,gpu_milli,memory_mib,cpu_milli\r\n"
      "0, 10.0 ,20.5,p,0,0,1,2\r\n\r\n");
  ASSERT_TRUE(trace) << trace.error().to_string();
  ASSERT_EQ(trace->jobs.size(), 1U);
  EXPECT_EQ(trace->jobs[0].request, (Amounts{{kCpu, 2}, {kMemory, 1 << 20}}));
  EXPECT_EQ(trace->jobs[0].run, std::chrono::milliseconds(10'500));
  EXPECT_EQ(read("name,x\n").error().to_string(),
            "pods.csv:1: column \"cpu_milli\" is missing, expected the columns name, cpu_milli, "
            "memory_mib, num_gpu, gpu_milli, creation_time, deletion_time");
  EXPECT_FALSE(read(""));
  EXPECT_EQ(error_of("p,1\n"), "pods.csv:2: field 3 (memory_mib): missing, expected 11 fields");
  EXPECT_EQ(error_of("p,1,1,0,0,,LS,Running,0,1,0,a,b\n"),
            "pods.csv:2: field 12 (beyond the last): \"a,b\", expected the end of the line");
  EXPECT_EQ(error_of("\"p\",1,1,0,0,,LS,Running,0,1,0\n"),
            "pods.csv:2: field 1 (name): \"\"p\"\", expected a cell without quotes");
  EXPECT_EQ(error_of(",1,1,0,0,,LS,Running,0,1,0\n"),
            "pods.csv:2: field 1 (name): \"\", expected a name of 1 to 253 bytes");
}

// TRACE-3, TRACE-4
TEST(Openb, CountsBadLinesAndStopsAtANumberOfPods) {
  ReadOptions options;
  options.skip_bad_lines = true;
  options.most = 2;
  const auto trace = read(std::string(kColumns) + "bad\n" + std::string(kPods) + "bad\n", options);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->jobs.size(), 2U);
  EXPECT_EQ(trace->skipped.bad, 1);
  EXPECT_FALSE(read("bad\n", options));
}

TEST(Openb, MayBePackedByGzip) {
  const std::string text = std::string(kColumns) + std::string(kPods);
  const auto trace = read(gzip(text));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->jobs, read(text)->jobs);
}

TEST(Openb, HasNodes) {
  const auto nodes = read_nodes(
      "sn,cpu_milli,memory_mib,gpu,model\n"
      "node-0227,32000,262144,0,nan\n"
      "node-0228,128000,786432,8,G3\n");
  ASSERT_TRUE(nodes) << nodes.error().to_string();
  const std::vector<OpenbNode> expected{
      {"node-0227", {{kCpu, 32'000}, {kMemory, std::int64_t{262'144} << 20}}, ""},
      {"node-0228",
       {{kCpu, 128'000}, {kMemory, std::int64_t{786'432} << 20}, {kGpu, 8}, {kGpuMilli, 8'000}},
       "G3"}};
  EXPECT_EQ(*nodes, expected);
  EXPECT_EQ(
      read_nodes("sn,cpu_milli,memory_mib,gpu,model\na,1,1,0,\na,1,1,0,\n").error().to_string(),
      "nodes.csv:3: field 1 (sn): \"a\", expected each node once");
  EXPECT_EQ(read_nodes("sn,cpu_milli,memory_mib,gpu,model\na,1,1,2,\n").error().to_string(),
            "nodes.csv:2: field 5 (model): \"\", expected a name of 1 to 253 bytes");
  EXPECT_FALSE(read_openb_nodes_file("/nowhere"));
  EXPECT_FALSE(read_openb_pods_file("/nowhere"));
}

}  // namespace
}  // namespace berth::traces::openb_test
