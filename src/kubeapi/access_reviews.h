#pragma once

#include <memory>

#include "berth/base/executor.h"
#include "kubeapi/rest_client.h"
#include "ports/access.h"
#include "ports/event_sink.h"

namespace berth::kubeapi {

// Asks by SubjectAccessReviews whether service accounts may reserve nodes, and looks whether the
// API server itself checks who names a target (rules API-28, API-29 of docs/design/api-client.md).
// Any thread. The client must be stopped before this ends.
class AccessReviews final : public ports::Access {
 public:
  // Between two looks at the policy, `executor` waits.
  AccessReviews(RestClient& client, Executor& executor);
  ~AccessReviews() override;
  AccessReviews(const AccessReviews&) = delete;
  AccessReviews& operator=(const AccessReviews&) = delete;

  // Answers go to the sink from now on. With `for_policy`, it looks for the policy now and every
  // half minute, and posts a NamingPolicy each time.
  void start(ports::EventSink& sink, bool for_policy);
  void ask(const RightQuestion& question) override;
  // Nothing is asked any more. Idempotent.
  void stop();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace berth::kubeapi
