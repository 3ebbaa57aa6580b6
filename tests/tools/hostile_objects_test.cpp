// Objects of an API server that cannot be read, as `berth jobs` and `berth queues` may list them.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "document/readers.h"
#include "support/checkout.h"
#include "support/damage.h"
#include "support/seeds.h"
#include "tools/live/find_job.h"
#include "tools/live/live_jobs.h"
#include "tools/live/live_queues.h"

namespace berth::tools {
namespace {

TEST(HostileObjects, AreShownOrLeftOut) {
  std::ifstream file(support::source_file("tests/kubeapi/testdata/everything.json"));
  std::stringstream text;
  text << file.rdbuf();
  std::size_t shown = 0;
  for (const std::uint64_t seed : support::seeds(1'500)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const auto list = document::parse_json(support::Damage(seed).of(text.str()), "list");
    const document::Value* const items = list ? list->find("items") : nullptr;
    if (items == nullptr) continue;
    ClusterView view;
    view.groups = view.kube_groups = view.pods = items->items;
    view.ours = {"berth"};
    const LiveJobs jobs = jobs_of(view);
    shown += jobs.jobs.size();
    (void)find_jobs(jobs, {"job", "j"});
    (void)table_of_queues(items->items);
  }
  EXPECT_GT(shown, 0U);
}

}  // namespace
}  // namespace berth::tools
