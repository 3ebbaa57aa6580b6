#include "kubeapi/cluster_check.h"

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "kubeapi/json_text.h"
#include "kubeapi/review_requests.h"
#include "kubeapi/watched_types.h"

namespace berth::kubeapi {

namespace {

using Report = std::shared_ptr<const std::function<void(const std::string&)>>;

constexpr int kGatesSince = 27;     // 1.27: scheduling gates are on
constexpr int kPoliciesSince = 34;  // MutatingAdmissionPolicy, as beta

struct Right {
  std::string_view verb;
  std::string_view group;
  std::string_view resource;
  std::string_view subresource;
};

std::vector<Right> rights_for(const ClusterNeeds& needs) {
  std::vector<Right> rights{{"patch", "", "pods", ""},
                            {"create", "scheduling.volcano.sh", "podgroups", ""},
                            {"patch", "scheduling.volcano.sh", "podgroups", ""},
                            {"patch", "scheduling.volcano.sh", "podgroups", "status"},
                            {"patch", "scheduling.x-k8s.io", "podgroups", ""},
                            {"patch", "scheduling.x-k8s.io", "podgroups", "status"},
                            {"patch", "scheduling.k8s.io", "podgroups", ""},
                            {"patch", "scheduling.k8s.io", "podgroups", "status"},
                            {"create", "", "events", ""},
                            {"create", "", "pods", "binding"},
                            {"get", "", "pods", ""}};
  // A pod created without the gate is nominated. In mode `view`, it gets a condition (AUTOSCALE-5).
  const bool writes_pod_status = needs.mode != "view" || needs.autoscaling;
  if (writes_pod_status) rights.push_back({"patch", "", "pods", "status"});
  return rights;
}

void check_version(RestClient& client, bool needs_gates, const Report& report) {
  Request request;
  request.path = "/version";
  client.send(std::move(request), [needs_gates, report](const Response& response) {
    if (response.status == 0) return;  // the reflectors report this error
    const std::string text = text_at(read_json(response.body), "/minor");
    if (!response.ok() || text.empty()) {
      return (*report)("the API server's version cannot be read: " + response.to_string());
    }
    int minor = 0;
    std::from_chars(text.data(), text.data() + text.size(), minor);
    if (!needs_gates) return;
    if (minor < kGatesSince) {
      (*report)("Kubernetes 1." + text + " has no scheduling gates: expected 1.27 or later");
    } else if (minor < kPoliciesSince) {
      (*report)("Kubernetes 1." + text +
                " has no MutatingAdmissionPolicy: pods must be gated by their templates, or come "
                "ungated");
    }
  });
}

// Without it, pods with claims are hints.
std::vector<Right> rights_for_volumes() {
  std::vector<Right> rights;
  for (const WatchedType& each : storage_types()) {
    const bool is_core = each.type.api_version == "v1";
    rights.push_back({"list", is_core ? "" : "storage.k8s.io", each.name, ""});
  }
  return rights;
}

void check_right(RestClient& client, const Right& right, const std::string& consequence,
                 const Report& report) {
  Request request = self_access_review({{"verb", right.verb},
                                        {"group", right.group},
                                        {"resource", right.resource},
                                        {"subresource", right.subresource}});
  request.deadline = Request().deadline;  // nobody waits for it
  std::string what = std::string(right.verb).append(" ").append(right.resource);
  if (!right.group.empty()) what.append(".").append(right.group);
  if (!right.subresource.empty()) what.append("/").append(right.subresource);
  client.send(std::move(request), [report, what, consequence](const Response& response) {
    const nlohmann::json answer = read_json(response.body);
    const nlohmann::json& allowed = value_at(answer, "/status/allowed");
    if (!response.ok() || allowed.is_null() || allowed == true) return;
    (*report)("not allowed to " + what + consequence + "; deploy/ has the rights");
  });
}

}  // namespace

void check_cluster(RestClient& client, const ClusterNeeds& needs,
                   std::function<void(const std::string& finding)> report) {
  const auto shared =
      std::make_shared<const std::function<void(const std::string&)>>(std::move(report));
  check_version(client, needs.mode != "view", shared);
  for (const Right& right : rights_for(needs)) {
    check_right(client, right, ", which steering mode \"" + needs.mode + "\" needs", shared);
  }
  if (!needs.volumes) return;
  for (const Right& right : rights_for_volumes()) {
    check_right(client, right, ": pods with claims are planned without regard to volumes", shared);
  }
}

}  // namespace berth::kubeapi
