#include "daemon/evicted_work.h"

#include <utility>
#include <variant>

#include "berth/model/dimensions.h"
#include "views/lost_work.h"

namespace berth::daemon {

void EvictedWork::begun(const Task& victim, const Cluster& cluster) {
  const Shape& shape = cluster.shape(victim.shape);
  NamedAmounts room = request_of(cluster.dimensions(), shape);
  // Labels are bounded.
  for (const auto& [name, amount] : shape.unknown) room.erase(name);
  for (const auto& [name, amount] : shape.of_classes) room.erase(name);
  under_way_.insert_or_assign(victim.uid, Victim{std::move(room), victim.scheduled_at});
}

void EvictedWork::take(const reconcile::Ended& ended, TimePoint now) {
  if (!std::holds_alternative<ports::Eviction>(ended.write.content)) return;
  const auto found = under_way_.extract(ended.write.object.uid);
  if (found.empty() || !ended.is(ports::WriteOutcome::Result::done)) return;
  const Victim& victim = found.mapped();
  metrics_.pod_evicted(victim.room, views::age_of(victim.scheduled_at, now));
}

}  // namespace berth::daemon
