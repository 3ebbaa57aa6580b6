#include "simulation/room_near.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/memory.h"
#include "engine/near_sets.h"

namespace berth::simulation {

namespace {

using engine::NearSet;

constexpr std::size_t kDomainsShown = 5;

// So many pods of the set have room in each of its domains, the most first.
using RoomOfDomains = std::vector<std::pair<std::int64_t, std::string>>;

RoomOfDomains rooms_for(engine::Session& session, const NearSet& set) {
  const std::map<ShapeId, std::int64_t> counts = waiting_kinds(session.cluster(), set);
  RoomOfDomains rooms;
  for (const TreeDomainId domain : set.nodes->domains(*set.required)) {
    std::int64_t fitting = 0;
    for (const auto& [shape, count] : counts) {
      const auto room = session.memory().room.idle(session, *set.nodes, shape);
      fitting += std::min(count, room->in(domain));
    }
    rooms.emplace_back(fitting, set.nodes->tree().path_of(domain));
  }
  std::stable_sort(rooms.begin(), rooms.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  return rooms;
}

}  // namespace

std::vector<std::string> room_near(JobId id, const CycleRecord& record) {
  const Cluster& cluster = record.after.cluster();
  const Job& job = cluster.job(id);
  std::vector<TaskId> waiting;
  for (const TaskId task : job.tasks) {
    if (cluster.task(task).status == TaskStatus::pending) waiting.push_back(task);
  }
  RoomOfDomains rooms;
  std::size_t pods = 0;
  const auto find = [&](engine::Session& session) {
    for (const NearSet& set : near_sets(session, job, waiting)) {
      if (!set.required) continue;
      rooms = rooms_for(session, set);
      pods = set.waiting.size();
      if (rooms.empty() || rooms.front().first < static_cast<std::int64_t>(pods)) return;
    }
  };
  record.scheduler.inspect(record.after.cluster_for_session(), record.now, find);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(rooms.size(), kDomainsShown); ++i) {
    texts.push_back(rooms[i].second + " has room for " + std::to_string(rooms[i].first) + " of " +
                    std::to_string(pods) + " pods");
  }
  if (rooms.size() > kDomainsShown) {
    texts.push_back("other domains of the level, " + std::to_string(rooms.size() - kDomainsShown) +
                    ", have no more");
  }
  return texts;
}

}  // namespace berth::simulation
