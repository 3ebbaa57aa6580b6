#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "document/value.h"
#include "kubeapi/rest_client.h"
#include "tools/live/kube_flags.h"

namespace berth::tools {

// A resource of the API server.
struct Resource {
  std::string group;  // empty: core
  std::string version;
  std::string plural;

  std::string full_name() const { return group.empty() ? plural : plural + "." + group; }
};

// Why a request has no answer.
enum class Refusal { none, forbidden, not_found, other };

struct Objects {
  std::vector<document::Value> items;
  Refusal refusal = Refusal::none;
  std::string message;  // for people, of the refusal

  bool ok() const { return refusal == Refusal::none; }
};

// The ClusterRole that gives a right, and how far.
struct RoleAdvice {
  std::string role = "view";
  bool is_for_cluster = false;
};

// Reads from the API server and writes nothing. One thread.
class ApiReader {
 public:
  // `deadline`: of each request.
  static Result<std::unique_ptr<ApiReader>> open(const KubeFlags& flags,
                                                 Duration deadline = std::chrono::seconds(30));

  // Of the flags, else of the context.
  const std::string& name_space() const { return name_space_; }
  const std::string& server() const { return client_->server(); }

  // All objects, page by page. An empty namespace: of all namespaces, or of none. `query` is
  // already encoded, such as "labelSelector=a%3Db". Without the group in the cluster: not_found.
  Objects list(const Resource& resource, const std::string& name_space,
               const std::string& query = {}, const RoleAdvice& advice = {});
  Objects get(const Resource& resource, const std::string& name_space, const std::string& name);

 private:
  ApiReader(std::unique_ptr<kubeapi::RestClient> client, std::string name_space, Duration deadline)
      : client_(std::move(client)), name_space_(std::move(name_space)), deadline_(deadline) {}
  Objects refused(const kubeapi::Response& response, const std::string& verb,
                  const Resource& resource, const std::string& name_space,
                  const RoleAdvice& advice) const;

  std::unique_ptr<kubeapi::RestClient> client_;
  std::string name_space_;
  Duration deadline_;
};

// The user in the API server's words, such as: User "alice" cannot list. Empty if there is none.
std::string user_in(const std::string& message);

}  // namespace berth::tools
