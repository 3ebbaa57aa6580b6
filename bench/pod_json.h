#pragma once

#include <string>

namespace berth::bench {

// Pod number `n` of bench/pod.json: about 5 KB, a gang member on a node, with the fields that real
// writers leave in it. `has_terms`: its gang is in one zone and has one pod on each node.
std::string pod_json(int n, bool has_terms = false);

}  // namespace berth::bench
