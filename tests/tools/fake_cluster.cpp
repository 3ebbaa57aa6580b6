#include "tools/fake_cluster.h"

#include <fstream>

namespace berth::tools {

using kubeapi::testing::Call;
using kubeapi::testing::Certificate;
using kubeapi::testing::FakeServer;
using kubeapi::testing::Reply;

namespace {

constexpr std::string_view kNewToken = "$NEW";

Certificate issued(const http::testing::Authority& authority,
                   const http::testing::TemporaryDirectory& directory) {
  Certificate certificate{directory.file("tls.crt"), directory.file("tls.key")};
  authority.issue("api", certificate.certificate_file, certificate.key_file);
  return certificate;
}

std::string status_json(int code, const std::string& message) {
  return R"({"kind":"Status","code":)" + std::to_string(code) + R"(,"message":")" + message +
         R"("})";
}

std::string metadata(const std::string& name, const std::string& owner, const std::string& more) {
  return R"("metadata":{"name":")" + name + R"(","namespace":"ml","uid":"uid-)" + name +
         R"(","creationTimestamp":"2026-11-21T09:00:00Z")" +
         (owner.empty() ? "" : R"(,"ownerReferences":[)" + owner + "]") + more + "}";
}

}  // namespace

FakeCluster::FakeCluster()
    : authority_("ca", directory_.file("ca.crt")),
      server_(
          [this](const Call& call, Reply& reply) {
            const std::lock_guard lock(mutex_);
            const auto found = answers_.find(call.path());
            if (found == answers_.end()) {
              reply.send(404, status_json(404, "the server could not find the resource"),
                         "Content-Type: application/json");
            } else {
              std::string body = found->second.body;
              if (const std::size_t at = body.find(kNewToken); at != std::string::npos) {
                body.replace(at, kNewToken.size(), std::to_string(++tokens_));
              }
              reply.send(found->second.status, body, "Content-Type: application/json");
            }
          },
          issued(authority_, directory_)),
      kubeconfig_(directory_.file("kubeconfig")) {
  std::ofstream(kubeconfig_) << kubeconfig_text("token: secret");
}

std::string FakeCluster::kubeconfig_text(const std::string& user) const {
  return "current-context: here\n"
         "contexts: [{name: here, context: {cluster: c, user: u, namespace: ml}}]\n"
         "clusters: [{name: c, cluster: {server: '" +
         server_.url() + "', certificate-authority: " + directory_.file("ca.crt") +
         "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
}

void FakeCluster::serve(const std::string& path, const std::vector<std::string>& objects) {
  std::string items;
  for (const std::string& object : objects) items += (items.empty() ? "" : ",") + object;
  serve_body(path, R"({"kind":"List","metadata":{"resourceVersion":"1"},"items":[)" + items + "]}");
}

void FakeCluster::serve_body(const std::string& path, const std::string& body) {
  const std::lock_guard lock(mutex_);
  answers_[path] = {200, body};
}

void FakeCluster::forbid(const std::string& path, const std::string& verb,
                         const std::string& resource) {
  const std::lock_guard lock(mutex_);
  answers_[path] = {403, status_json(403, resource + R"( is forbidden: User \"alice\" cannot )" +
                                              verb + " resource")};
}

Outcome FakeCluster::run(std::vector<std::string> words) const {
  words.insert(words.end(), {"--kubeconfig", kubeconfig_});
  return run_program(words);
}

std::vector<std::string> FakeCluster::targets() const {
  std::vector<std::string> targets;
  for (const Call& call : server_.calls()) targets.push_back(call.target);
  return targets;
}

std::string FakeCluster::header_of_first(const std::string& name) const {
  const std::vector<Call> calls = server_.calls();
  if (calls.empty()) return "";
  const auto found = calls.front().headers.find(name);
  return found == calls.front().headers.end() ? "" : found->second;
}

std::string owner_json(const std::string& api_version, const std::string& kind,
                       const std::string& name) {
  return R"({"apiVersion":")" + api_version + R"(","kind":")" + kind + R"(","name":")" + name +
         R"(","uid":"uid-)" + kind + "-" + name + R"(","controller":true})";
}

std::string with_metadata(std::string object, const std::string& more) {
  const std::string place = R"("metadata":{)";
  object.insert(object.find(place) + place.size(), more + ",");
  return object;
}

std::string group_json(const std::string& name, const std::string& status,
                       const std::string& owner) {
  return R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)" +
         metadata(name, owner, "") + R"(,"spec":{"minMember":2,"queue":"research"},"status":)" +
         status + "}";
}

std::string pod_json(const std::string& name, const std::string& group, const std::string& node,
                     const std::string& owner, const std::string& scheduler) {
  const std::string annotation =
      group.empty() ? "" : R"(,"annotations":{"scheduling.k8s.io/group-name":")" + group + "\"}";
  const std::string bound = node.empty() ? "" : R"(,"nodeName":")" + node + "\"";
  return "{" + metadata(name, owner, annotation) + R"(,"spec":{"schedulerName":")" + scheduler +
         "\"" + bound + R"(,"containers":[{"name":"c"}]},"status":{"phase":")" +
         (node.empty() ? "Pending" : "Running") + "\"}}";
}

}  // namespace berth::tools
