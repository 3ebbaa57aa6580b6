#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/engine/verdict.h"
#include "berth/model/cluster.h"

namespace berth::engine {

// The pods that a refusal of the node is about: those that have a host port, that this pod refuses
// to be near, or that refuse it. By name; none of a refusal for another reason.
std::vector<TaskId> pods_in_the_way(const Cluster& cluster, const Shape& shape, NodeId node,
                                    const Verdict& refusal);

// Of these pods, as users of a namespace may read them: at most five of its own by name, and how
// many more there are. MAY-11.
struct NamedInTheWay {
  std::vector<std::string> names;
  std::size_t more = 0;                 // of the own namespace
  std::size_t of_other_namespaces = 0;  // these have no names
  // "ml/a, ml/b, 2 more and 3 of other namespaces"; empty: there are none.
  std::string text() const;
};
NamedInTheWay named_in_the_way(const Cluster& cluster, const std::vector<TaskId>& pods,
                               std::string_view name_space);

}  // namespace berth::engine
