#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "http/certificates.h"
#include "kubeapi/fake_server.h"
#include "tools/berth_process.h"

namespace berth::tools {

inline constexpr const char* kGroups =
    "/apis/scheduling.volcano.sh/v1beta1/namespaces/ml/podgroups";
inline constexpr const char* kPods = "/api/v1/namespaces/ml/pods";

// An API server of a test: bodies of GETs by path without their query, and a kubeconfig for it. All
// other paths answer 404.
class FakeCluster {
 public:
  FakeCluster();

  // A list of these objects, given as JSON.
  void serve(const std::string& path, const std::vector<std::string>& objects);
  // "$NEW" in it is another text in each answer.
  void serve_body(const std::string& path, const std::string& body);
  // The answer to user "alice" without the right.
  void forbid(const std::string& path, const std::string& verb, const std::string& resource);

  // The real `berth`, with this API server.
  Outcome run(std::vector<std::string> words) const;
  std::string kubeconfig() const { return kubeconfig_; }
  std::string kubeconfig_text(const std::string& user) const;
  std::vector<std::string> targets() const;  // of all requests so far
  std::string header_of_first(const std::string& name) const;

 private:
  struct Answer {
    int status = 200;
    std::string body;
  };

  http::testing::TemporaryDirectory directory_;
  http::testing::Authority authority_;
  mutable std::mutex mutex_;
  std::map<std::string, Answer> answers_;
  int tokens_ = 0;
  kubeapi::testing::FakeServer server_;
  std::string kubeconfig_;
};

// Objects as the API server has them, in namespace "ml".
std::string group_json(const std::string& name, const std::string& status,
                       const std::string& owner = {});
std::string pod_json(const std::string& name, const std::string& group,
                     const std::string& node = {}, const std::string& owner = {},
                     const std::string& scheduler = "berth");
// The object with more in its metadata.
std::string with_metadata(std::string object, const std::string& more);
// {"kind":"Job","name":"train",...} for the two above.
std::string owner_json(const std::string& api_version, const std::string& kind,
                       const std::string& name);

}  // namespace berth::tools
