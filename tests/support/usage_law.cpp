#include "support/usage_law.h"

#include <map>
#include <utility>

namespace berth::support {

std::vector<std::string> broken_usage_law(const Cluster& cluster) {
  std::map<std::pair<std::string, std::string>, Resources> has;
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    const Job& job = cluster.job(JobId(j));
    if (!job.exists || !job.queue.is_valid()) continue;
    const std::string& queue = cluster.queue(job.queue).name;
    has[{queue, ""}] += job.allocated;
    has[{queue, job.name.substr(0, job.name.find('/'))}] += job.allocated;
  }
  std::vector<std::string> faults;
  const UsageTable& usage = cluster.usage();
  for (const auto& [name, allocated] : has) {
    if (usage.find(name.first, name.second) != UsageTable::kNone) continue;
    faults.push_back("no use is counted for " + name.first + "/" + name.second);
  }
  for (UsageTable::Slot slot = 0; slot < usage.slots(); ++slot) {
    const UsageAccount& account = usage.account(slot);
    if (account.queue.empty() || account.allocated == has[{account.queue, account.name_space}]) {
      continue;
    }
    faults.push_back("other use is counted for " + account.queue + "/" + account.name_space +
                     " than its jobs have");
  }
  return faults;
}

}  // namespace berth::support
