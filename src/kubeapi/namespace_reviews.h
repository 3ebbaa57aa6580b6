#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "berth/base/clock.h"
#include "kubeapi/rest_client.h"
#include "ports/callers.h"

namespace berth::kubeapi {

// Asks by SubjectAccessReviews of which namespaces users may get pod groups (rule API-40 of
// docs/design/api-client.md). Any thread. The client must be stopped before this ends.
class NamespaceReviews {
 public:
  static constexpr Duration kCounts = std::chrono::seconds(30);  // an answer
  static constexpr std::size_t kAtOnceMost = 16;                 // reviews, of all users
  static constexpr std::size_t kNamespacesMost = 1000;           // of one user
  static constexpr double kPerSecond = 50;
  static constexpr int kAtFirst = 500;

  NamespaceReviews(RestClient& client, const Clock& clock);

  // `user`: as a TokenReview describes him. It may outlive this.
  std::shared_ptr<ports::Viewer> viewer_of(const nlohmann::json& user) const;

 private:
  class Line;
  class User;

  std::shared_ptr<Line> line_;
};

}  // namespace berth::kubeapi
