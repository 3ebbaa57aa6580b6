#include "views/useless_room.h"

#include <algorithm>
#include <map>
#include <vector>

#include "berth/model/dimensions.h"
#include "berth/model/node_rules.h"
#include "engine/fit/fits_on.h"

namespace berth::views {

namespace {

// Of the pods that may run on the same nodes, those that ask for the resource and for no more than
// others do.
std::vector<const Shape*> least_of(const Cluster& cluster, Dimension d) {
  std::map<NodeRules, std::vector<const Shape*>> by_rules;
  for (std::size_t s = 0; s < cluster.shape_count(); ++s) {
    if (cluster.shape(ShapeId(s)).uses == 0) continue;
    const Shape& shape = cluster.shape(cluster.shape(ShapeId(s)).base);
    if (shape.request[d] <= 0) continue;
    std::vector<const Shape*>& least = by_rules[NodeRules(shape.constraints)];
    const bool is_needless = std::any_of(least.begin(), least.end(), [&](const Shape* each) {
      return shape.request.covers(each->request);
    });
    if (is_needless) continue;
    std::erase_if(least, [&](const Shape* each) { return each->request.covers(shape.request); });
    least.push_back(&shape);
  }
  std::vector<const Shape*> all;
  for (const auto& [rules, least] : by_rules) all.insert(all.end(), least.begin(), least.end());
  return all;
}

// Room is asked about first: it is soon answered.
bool fits(const Cluster& cluster, const Shape& shape, NodeId node) {
  return std::all_of(shape.requested.begin(), shape.requested.end(),
                     [&](const auto& each) {
                       return each.second <= cluster.idle().at(node, each.first);
                     }) &&
         static_cast<bool>(engine::fits_on(cluster, shape, node));
}

}  // namespace

std::map<std::string, IdleRoom> idle_room(const Cluster& cluster) {
  std::map<std::string, IdleRoom> rooms;
  for (std::size_t i = 0; i < cluster.dimensions().size(); ++i) {
    const Dimension d(i);
    if (!is_extended(cluster.dimensions().name(d))) continue;
    const std::vector<const Shape*> least = least_of(cluster, d);
    if (least.empty()) continue;
    IdleRoom& room = rooms[cluster.dimensions().name(d)];
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      const std::int64_t idle = cluster.idle().at(NodeId(n), d);
      if (idle <= 0) continue;
      room.idle = saturated_sum(room.idle, idle);
      const bool is_useful = std::any_of(least.begin(), least.end(), [&](const Shape* shape) {
        return fits(cluster, *shape, NodeId(n));
      });
      if (!is_useful) room.useless = saturated_sum(room.useless, idle);
    }
  }
  return rooms;
}

}  // namespace berth::views
