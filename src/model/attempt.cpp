#include "berth/model/attempt.h"

#include "berth/base/hash.h"

namespace berth {

namespace {

// Each bit of the result depends on all bits: sums of FNV-1a values of similar names are often
// equal.
std::uint64_t mixed(std::uint64_t hash) {
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31U);
}

}  // namespace

std::uint64_t place_of(std::uint64_t lasting_key, std::string_view node) {
  return mixed(mixed(lasting_key + 1) ^ fnv1a(node));
}

std::uint64_t places_of(const Cluster& cluster, const Job& job) {
  std::uint64_t sum = 0;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    const bool has_place = is_allocated(task.status) && task.node.is_valid();
    if (has_place)
      sum += place_of(cluster.shape(task.shape).lasting_key, cluster.node(task.node).name);
  }
  return sum;
}

}  // namespace berth
