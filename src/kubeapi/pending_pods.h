#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kubeapi/rest_client.h"
#include "ports/pending_pods.h"

namespace berth::kubeapi {

// By pages of a list that the API server may not answer from memory. `client` must outlive this.
class PendingPodsReader final : public ports::PendingPods {
 public:
  explicit PendingPodsReader(RestClient& client) : client_(client) {}

  void read(Done done) override;

 private:
  struct Reading {
    Done done;
    std::vector<ports::PendingPod> pods;
  };

  static void read_page(RestClient& client, const std::shared_ptr<Reading>& reading,
                        const std::string& token);

  RestClient& client_;
};

}  // namespace berth::kubeapi
