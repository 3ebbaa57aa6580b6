#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubeapi/rest_client.h"
#include "ports/starting_pods.h"

namespace berth::kubeapi {

// By pages of a list that is no older than its request.
class StartingPodsReader final : public ports::StartingPods {
 public:
  // `client` must outlive this, and this its requests.
  StartingPodsReader(RestClient& client, std::vector<std::string> managed_schedulers)
      : client_(client), managed_schedulers_(std::move(managed_schedulers)) {}

  void read(Done done) override;

 private:
  struct Reading {
    Done done;
    std::set<std::string> uids;
  };

  void read_page(const std::shared_ptr<Reading>& reading, const std::string& token);
  bool add_page(const std::string& body, Reading& reading, std::string& token) const;

  RestClient& client_;
  const std::vector<std::string> managed_schedulers_;
};

}  // namespace berth::kubeapi
