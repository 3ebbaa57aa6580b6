#pragma once

#include <string>

namespace berth::bench {

// Pod number `n` of bench/pod.json: about 5 KB, a gang member on a node, with the fields that real
// writers leave in it.
std::string pod_json(int n);

}  // namespace berth::bench
