#include "kubeapi/access.h"

#include <cstdlib>

#include "berth/base/text.h"
#include "kube/files.h"

namespace berth::kubeapi {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

Result<Access> in_cluster(const std::string& directory) {
  const std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Error{
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, expected to run "
        "in a pod, or a kubeconfig",
        "environment"};
  }
  Access access;
  // The library cannot take an IPv6 literal; the service's name is in its certificate, too.
  const bool is_ipv6 = host.find(':') != std::string::npos;
  access.server = "https://" + (is_ipv6 ? "kubernetes.default.svc" : host) + ":" + port;
  access.ca.file = directory + "/ca.crt";
  access.token.file = directory + "/token";
  for (const std::string& file : {access.ca.file, access.token.file}) {
    if (const auto read = kube::read_file(file); !read) return read.error();
  }
  if (const auto name_space = kube::read_file(directory + "/namespace"); name_space) {
    if (!trimmed(*name_space).empty()) access.name_space = std::string(trimmed(*name_space));
  }
  return access;
}

}  // namespace berth::kubeapi
