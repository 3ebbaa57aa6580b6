#pragma once

#include <functional>
#include <string>

#include "kubeapi/rest_client.h"

namespace berth::kubeapi {

struct ClusterNeeds {
  std::string mode;          // of steering
  bool autoscaling = false;  // counts in mode `view`
  bool volumes = false;      // they are listed
};

// Checks the cluster for these needs: the API server's version, the rights for our writes, and
// those to list volumes. Returns at once. It calls `report` for each missing part, from a thread of
// the client, with a sentence that includes advice.
void check_cluster(RestClient& client, const ClusterNeeds& needs,
                   std::function<void(const std::string& finding)> report);

}  // namespace berth::kubeapi
