#pragma once

#include <functional>
#include <string>

#include "kubeapi/rest_client.h"

namespace berth::kubeapi {

// Looks whether the cluster has what a steering mode needs: the API server's version, and the
// rights to write what is to be written. Returns at once; what is missing is told, a sentence each,
// from a thread of the client, with what to do about it.
void check_cluster(RestClient& client, const std::string& mode,
                   std::function<void(const std::string& finding)> tell);

}  // namespace berth::kubeapi
