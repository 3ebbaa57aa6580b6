#pragma once

#include "berth/model/cluster.h"
#include "engine/ranking.h"

namespace berth::engine {

class Session;

// The best node of its base's ranking that the relations of a shape allow. Invalid: none.
//
// Law: the node is the one that a naive scan of all nodes would choose, which asks every constraint
// of each.
NodeId best_allowed(Session& session, Ranking& ranking, const Shape& shape);

}  // namespace berth::engine
