#pragma once

#include <functional>
#include <string>

#include "kubeapi/rest_client.h"

namespace berth::kubeapi {

// Checks the cluster for the needs of a steering mode, in mode `view` with or without
// `autoscaling`: the API server's version, and the rights for our writes. Returns at once. It calls
// `report` for each missing part, from a thread of the client, with a sentence that includes
// advice.
void check_cluster(RestClient& client, const std::string& mode, bool autoscaling,
                   std::function<void(const std::string& finding)> report);

}  // namespace berth::kubeapi
