#include "views/queues_text.h"

#include <gtest/gtest.h>

namespace berth::views::queues_text_test {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

// One queue on 10 cpu and 100Gi.
QueueTable one_queue() {
  QueueTable table;
  table.is_divided = true;
  table.resources = {"cpu", "memory", "pods"};
  table.rows.resize(1);
  table.rows[0].name = "q";
  table.clear_amounts();
  table.total = {10000, 100 * kGi, 110};
  table.real_capability = {10000, 100 * kGi, 110};
  return table;
}

std::string bar_in(const std::string& text) {
  const std::size_t end = text.find('\n', text.find('\n') + 1);
  const std::string line = text.substr(0, end);
  return line.substr(line.rfind(' ') + 1);
}

TEST(QueuesText, ABarIsWhatTheQueueCouldHave) {
  QueueTable table = one_queue();
  table.allocated[0] = 5000;
  table.deserved[0] = 7500;
  EXPECT_EQ(bar_in(queues_text(table, {})), "##########-----.....");
  table.allocated[0] = 10000;
  EXPECT_EQ(bar_in(queues_text(table, {})), "###############+++++");
  EXPECT_EQ(bar_in(queues_text(table, {.is_ascii = false})), "███████████████▓▓▓▓▓");
}

TEST(QueuesText, SaysWhatQueuesHaveUsedLately) {
  QueueTable table = one_queue();
  table.rows[0].used = 30;
  EXPECT_EQ(queues_text(table, {}).find("used lately"), std::string::npos) << "there is one alone";
  table.rows.resize(3);
  table.clear_amounts();
  table.rows[1].name = "child";
  table.rows[1].parent = 0;
  table.rows[1].used = 30;
  table.rows[2].name = "most";
  table.rows[2].used = 90;
  EXPECT_NE(
      queues_text(table, {}).find("used lately, of all that queues have used: most 75 %, q 25 %\n"),
      std::string::npos)
      << queues_text(table, {});
}

TEST(QueuesText, ALittleIsSeen) {
  QueueTable table = one_queue();
  table.allocated[0] = 1;
  EXPECT_EQ(bar_in(queues_text(table, {})), "+...................");
}

TEST(QueuesText, ShowsTheDominantResourceOrTheOneAskedFor) {
  QueueTable table = one_queue();
  table.allocated = {1000, 50 * kGi, 100};
  table.deserved = table.allocated;
  const std::string dominant = queues_text(table, {});
  EXPECT_NE(dominant.find("memory"), std::string::npos) << dominant;
  EXPECT_NE(dominant.find("50Gi"), std::string::npos) << "pods only if there is nothing else";
  const std::string cpu = queues_text(table, {.resource = "cpu"});
  EXPECT_EQ(cpu.find("memory"), std::string::npos) << cpu;
}

TEST(QueuesText, MarksAGuaranteeThatIsScaledAndSaysWhatIsInForce) {
  QueueTable table = one_queue();
  table.rows[0].is_scaled = true;
  table.written[0] = 8000;
  table.guarantee[0] = 4000;
  const std::string text = queues_text(table, {});
  EXPECT_NE(text.find(" 4* "), std::string::npos) << text;
  EXPECT_NE(text.find("* q: in force is 4 of 8 cpu\n"), std::string::npos) << text;
}

TEST(QueuesText, SaysHowLargeThePiecesOfAGuaranteeAreAndWhatHasNoEffect) {
  QueueTable table = one_queue();
  table.due[0] = 4000;
  table.piece[0] = 1000;
  table.rows[0].notes = {"spec.affinity is not honoured"};
  const std::string text = queues_text(table, {});
  EXPECT_NE(text.find("q: the largest unused piece of its guarantee on one node is "
                      "1 of 4 cpu\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("q: spec.affinity is not honoured\n"), std::string::npos) << text;
  table.piece[0] = 4000;
  EXPECT_EQ(queues_text(table, {}).find("largest unused piece"), std::string::npos);
  table.piece[0] = 1000;
  table.rows[0].reservation.emplace();
  EXPECT_NE(queues_text(table, {}).find("largest unused piece"), std::string::npos);
  table.rows[0].reservation->nodes = {"n1"};
  EXPECT_EQ(queues_text(table, {}).find("largest unused piece"), std::string::npos)
      << "the line on its own nodes says more";
}

TEST(QueuesText, SaysWhatIsWrongWithAQueue) {
  QueueTable table = one_queue();
  table.rows[0].fault = "odd\x1b[2J";
  const std::string text = queues_text(table, {});
  EXPECT_NE(text.find("Faulty"), std::string::npos);
  EXPECT_NE(text.find("q is at fault, its jobs wait: odd"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "nothing may steer the terminal";
}

TEST(QueuesText, WhereNobodyDividesTheClusterItSaysSo) {
  QueueTable table = one_queue();
  table.is_divided = false;
  table.allocated[0] = 5000;
  const std::string text = queues_text(table, {});
  EXPECT_EQ(bar_in(text), "##########..........");
  EXPECT_NE(text.find("no plugin divides the cluster"), std::string::npos);
}

TEST(QueuesText, NoQueuesAreNoTable) { EXPECT_EQ(queues_text({}, {}), "no queues\n"); }

TEST(BriefAmount, HasAtMostTwoDecimals) {
  EXPECT_EQ(brief_amount("cpu", 0), "0");
  EXPECT_EQ(brief_amount("cpu", 250), "250m");
  EXPECT_EQ(brief_amount("cpu", 1500), "1.5");
  EXPECT_EQ(brief_amount("cpu", 6666), "6.66");
  EXPECT_EQ(brief_amount("cpu", 16050), "16.05");
  EXPECT_EQ(brief_amount("memory", 100), "100");
  EXPECT_EQ(brief_amount("memory", 4 * kGi), "4Gi");
  EXPECT_EQ(brief_amount("memory", 7158278826), "6.66Gi");
  EXPECT_EQ(brief_amount("memory", 2048 * kGi), "2Ti");
  EXPECT_EQ(brief_amount("nvidia.com/gpu", 4096), "4096");
  EXPECT_EQ(brief_amount("memory", std::numeric_limits<std::int64_t>::max()), "7.99Ei");
}

}  // namespace
}  // namespace berth::views::queues_text_test
