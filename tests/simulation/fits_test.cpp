#include "simulation/fits.h"

#include <gtest/gtest.h>

#include "support/objects.h"

namespace berth::simulation {
namespace {

std::vector<PodFits> fits_of(std::vector<ClusterEvent> objects, const std::string& pod = {}) {
  const auto fits = which_nodes_fit({std::move(objects), conf::Config(), pod});
  EXPECT_TRUE(fits) << fits.error().to_string();
  return fits ? *fits : std::vector<PodFits>();
}

std::string refusal_of(std::vector<ClusterEvent> objects, const std::string& pod) {
  const auto fits = which_nodes_fit({std::move(objects), conf::Config(), pod});
  EXPECT_FALSE(fits);
  return fits ? "" : fits.error().to_string();
}

// "n1 yes, n2 insufficient cpu (2 needed, 1 idle)"
std::string text(const PodFits& fits) {
  std::string text;
  for (const NodeFit& row : fits.nodes) {
    text += (text.empty() ? "" : ", ") + row.node + " " + (row.fits() ? "yes" : row.message);
  }
  return text;
}

TEST(Fits, AnswersForEachPodThatWaitsAndEachNode) {
  PodObject others = pod("", 2, 2);
  others.scheduler_name = "default-scheduler";
  PodObject gated = pod("", 1, 1);
  gated.gates = {"example.com/quota"};
  PodObject leaving = pod("", 3, 1);
  leaving.terminating = true;
  PodObject ended = pod("", 4, 1);
  ended.phase = PodPhase::failed;
  const std::vector<PodFits> all =
      fits_of({node("n2", 4), node("n1", 1), others, gated, leaving, ended,
               running(pod("", 5, 3), "n2"), running(pod("", 6, 3), "unknown")});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].pod, "ml/1");
  EXPECT_EQ(text(all[0]), "n1 yes, n2 yes");
  EXPECT_EQ(all[1].pod, "ml/2");
  EXPECT_EQ(text(all[1]),
            "n1 insufficient cpu (2 needed, 1 idle), n2 insufficient cpu (2 needed, 1 idle)");
  EXPECT_EQ(all[1].nodes[0].reason, "insufficient_resource");
  EXPECT_EQ(all[1].fit_count(), 0U);
  ASSERT_EQ(all[1].refusals.size(), 1U);
  EXPECT_EQ(all[1].refusals[0].text(), "2 insufficient cpu (2 needed, at most 1 idle)");
}

TEST(Fits, NobodyEndsOrLeavesMeanwhile) {
  PodObject timed = running(pod("", 1, 3), "n1");
  timed.started = second(10);
  timed.run_time = std::chrono::seconds(5);
  PodObject leaving = running(pod("", 2, 3), "n2");
  leaving.terminating = true;
  PodObject waits = pod("", 3, 2);
  waits.created = second(100);
  const auto all = fits_of({node("n1", 4), node("n2", 4), timed, leaving, waits});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].fit_count(), 0U);
}

TEST(Fits, AHintNamesWhatIsNotDecided) {
  PodObject hint = pod("", 1, 1);
  hint.constraints.unmodelled = {"numericToleration", "resourceClaims"};
  const auto all = fits_of({node("n1", 4), hint}, "ml/1");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].hint, (std::vector<std::string>{"numericToleration", "resourceClaims"}));
  EXPECT_EQ(text(all[0]), "n1 yes");
}

TEST(Fits, AReasonAboutThePodIsThatOfEachNode) {
  PodObject faulty = pod("", 1, 1);
  faulty.constraints.fault = "spec.affinity: it is no object";
  const auto all = fits_of({node("n1", 4), node("n2", 4), faulty});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].refused, "pod_faulty");
  EXPECT_EQ(all[0].refused_message,
            "one of its pods cannot be read: spec.affinity: it is no object");
  EXPECT_EQ(all[0].nodes[1].message, all[0].refused_message);
  EXPECT_EQ(fits_of({node("n1", 4), pod("", 1, 9)})[0].refused, "") << "it is about the node";
}

TEST(Fits, ALockIsShownAndRefusesNobody) {
  PodGroupObject target = group("big", 1);
  target.marks.is_elected = true;
  target.marks.elected_at = second(1);
  NodeObject locked = node("n1", 4);
  locked.locked_for = lock_text(target.uid);
  locked.locked_since = second(1);
  const auto all = fits_of({locked, node("n2", 4), target, pod("big", 0, 1), pod("", 1, 1)});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].pod, "ml/1");
  EXPECT_EQ(all[0].fit_count(), 2U);
  EXPECT_EQ(all[0].nodes[0].lock, "locked for target ml/big");
  EXPECT_EQ(all[0].nodes[1].lock, "");
  EXPECT_EQ(all[1].nodes[0].lock, "") << "it is its own";
}

TEST(Fits, APodThatDoesNotWaitIsRefused) {
  PodObject ended = running(pod("", 2, 1), "n1");
  ended.phase = PodPhase::succeeded;
  PodObject leaving = running(pod("", 3, 1), "n1");
  leaving.terminating = true;
  const std::vector<ClusterEvent> objects{node("n1", 4), running(pod("big", 1, 1), "n1"), ended,
                                          leaving};
  EXPECT_EQ(refusal_of(objects, "ml/big-1"),
            "fits: pod \"ml/big-1\" is on node \"n1\" already, expected one that waits");
  EXPECT_EQ(refusal_of(objects, "ml/2"), "fits: pod \"ml/2\" has ended, expected one that waits");
  EXPECT_EQ(refusal_of(objects, "ml/3"),
            "fits: pod \"ml/3\" is being deleted, expected one that waits");
  EXPECT_EQ(refusal_of(objects, "ml/bgi-1"),
            "fits: no pod \"ml/bgi-1\"; did you mean \"ml/big-1\"?");
  EXPECT_EQ(refusal_of(objects, "big-1"), "fits: no pod \"big-1\"; did you mean \"ml/big-1\"?");
  EXPECT_EQ(refusal_of({node("n1", 4)}, "ml/1"), "fits: no pod \"ml/1\"; there are no pods at all");
}

}  // namespace
}  // namespace berth::simulation
