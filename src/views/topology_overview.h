#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::views {

// The topologies of a cluster with the free room of their domains, and how near jobs want to be:
// docs/topology.md. A plain value.
struct TopologyOverview {
  struct Room {
    NamedAmounts all;   // what the nodes have
    NamedAmounts free;  // what can be given away now, on nodes that are not cordoned
  };
  struct Level {
    std::string name;                  // "example.com/rack", "tier 2 (spine)"
    std::string label;                 // empty: a tier
    std::string alias;                 // another name; empty: none
    std::optional<std::int32_t> tier;  // none: a label
    std::size_t domains = 0;
    std::size_t nodes = 0;
    NamedAmounts free;  // in all of its domains
    NamedAmounts most;  // free in one of them, of each resource
  };
  struct Domain {
    std::string name;
    std::string path;       // "europe/block-1/rack-7"
    std::size_t level = 0;  // of the topology's levels
    std::size_t depth = 0;  // 0: it is outermost
    std::size_t nodes = 0;
    Room room;
  };
  struct Topology {
    std::string title;  // "Topology.kueue.x-k8s.io \"gpu\""
    std::string kind;
    std::string name;             // empty: there is no other of the kind
    std::vector<Level> levels;    // the outermost first
    std::vector<Domain> domains;  // one before those within it, by name
    std::size_t nodes = 0;        // in a domain
  };
  struct Wish {
    std::string job;      // namespace/name
    std::string written;  // where
    std::string pods;
    std::string near;
    std::string topology;  // in which its level is; empty: none is
    std::string why;       // it cannot be meant; empty: it can
  };
  std::size_t nodes = 0;
  std::vector<Topology> topologies;              // in the order in which they count
  std::map<std::string, std::string> sentences;  // objects that do not count, and why
  std::vector<Wish> wishes;                      // by job
};

// Cost: the nodes times the topologies and resources.
TopologyOverview make_topology_overview(const Cluster& cluster);

}  // namespace berth::views
