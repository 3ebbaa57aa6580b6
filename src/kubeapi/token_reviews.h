#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "berth/base/clock.h"
#include "kubeapi/rest_client.h"
#include "ports/callers.h"

namespace berth::kubeapi {

// Asks by a TokenReview who a caller is, and by a SubjectAccessReview of a path that is no resource
// whether he may get it, as the API server does for its own paths (rules API-38 and API-39 of
// docs/design/api-client.md). Any thread. The client must be stopped before this ends.
class TokenReviews final : public ports::Callers {
 public:
  // How long an answer counts; an error does not count beyond those who wait for it.
  static constexpr Duration kCounts = std::chrono::seconds(30);
  static constexpr std::size_t kKnownMost = 256;   // answers that are kept
  static constexpr std::size_t kAskedMost = 16;    // new tokens and paths under review at once
  static constexpr std::size_t kWaitingMost = 64;  // callers who wait for one review

  TokenReviews(RestClient& client, const Clock& clock);
  ~TokenReviews() override;
  TokenReviews(const TokenReviews&) = delete;
  TokenReviews& operator=(const TokenReviews&) = delete;

  void ask(const std::string& token, const std::string& path, Done done) override;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace berth::kubeapi
