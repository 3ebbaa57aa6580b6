#include "engine/tree_room.h"

#include "berth/engine/session.h"
#include "engine/idle_room.h"
#include "engine/memory.h"

namespace berth::engine {

void TreeRoom::set(NodeId node, std::int32_t pods) {
  const std::int32_t more = pods - std::exchange(on_[node.index()], pods);
  if (more == 0) return;
  for (TreeDomainId id = nodes_->domain_of(node); id.is_valid();
       id = nodes_->tree().domain(id).parent) {
    in_[id.index()] += more;
  }
}

std::shared_ptr<const TreeRoom> RoomInTrees::idle(Session& session, const TreeNodes& nodes,
                                                  ShapeId id) {
  const Cluster& cluster = session.cluster();
  const std::uint64_t topologies = cluster.topologies().version();
  if (topologies_ != topologies || nodes_ != cluster.spec_version() || bytes_ > kBytesMax) {
    known_.clear();
    bytes_ = 0;
  }
  topologies_ = topologies;
  nodes_ = cluster.spec_version();
  std::shared_ptr<Known>& known = known_[{&nodes, id}];
  const ChangeJournal& changes = cluster.changes();
  const auto is_known = [&] {
    return known != nullptr && known->serial == cluster.shape(id).serial &&
           changes.has_since(known->position) &&
           changes.since(known->position).size() < cluster.node_count();
  };
  const IdleRoom room(session, id, JobId(), QueueId());
  if (is_known()) {
    for (const NodeId node : changes.since(known->position)) known->room.set(node, room.on(node));
  } else {
    if (known != nullptr) bytes_ -= known->room.bytes();
    known = std::make_shared<Known>(nodes);
    bytes_ += known->room.bytes();
    for (const NodeId node : nodes.nodes(nodes.all())) known->room.set(node, room.on(node));
  }
  known->serial = cluster.shape(id).serial;
  known->position = changes.position();
  return {known, &known->room};
}

}  // namespace berth::engine
