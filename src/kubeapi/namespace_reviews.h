#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "berth/base/clock.h"
#include "kubeapi/rest_client.h"
#include "ports/callers.h"

namespace berth::kubeapi {

// Asks by SubjectAccessReviews of which namespaces users may get pod groups (rule API-40 of
// docs/design/api-client.md). Any thread. The client must be stopped before this ends.
class NamespaceReviews {
 public:
  static constexpr Duration kAgain = std::chrono::seconds(30);  // then an answer is asked for anew
  static constexpr Duration kCounts = std::chrono::minutes(5);  // until then, at most
  static constexpr std::size_t kAtOnceMost = 16;                // reviews, of all users
  static constexpr std::size_t kRoundMost = 1000;               // reviews of one user
  static constexpr std::size_t kKnownMost = 10'000;             // answers of one user
  static constexpr std::size_t kUsersMost = 256;
  static constexpr double kPerSecond = 50;
  static constexpr int kAtFirst = 500;

  NamespaceReviews(RestClient& client, const Clock& clock);

  // `user`: as a TokenReview describes him; the same for equal ones. It may outlive this.
  std::shared_ptr<ports::Viewer> viewer_of(const nlohmann::json& user);

 private:
  class Line;
  class User;

  std::shared_ptr<Line> line_;
  std::mutex mutex_;                                    // guards users_
  std::map<std::string, std::shared_ptr<User>> users_;  // by the text of the user
};

}  // namespace berth::kubeapi
