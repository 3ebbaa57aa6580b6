#include "kubeapi/access_reviews.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "berth/base/text.h"
#include "kubeapi/json_text.h"
#include "kubeapi/review_requests.h"

namespace berth::kubeapi {

namespace {

using PlainJson = nlohmann::json;

constexpr const char* kPolicy = "reserve.berth.dev";
constexpr const char* kPolicies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic";
constexpr Duration kLookEvery = std::chrono::seconds(30);

// API-28
Request review_of(const RightQuestion& question) {
  const std::string accounts = "system:serviceaccounts";
  const PlainJson user{
      {"username", "system:serviceaccount:" + question.name_space + ":" + question.account},
      {"groups", {accounts, accounts + ":" + question.name_space, "system:authenticated"}}};
  Request request = access_review(user, "resourceAttributes",
                                  {{"group", api_group_of(question.verb)},
                                   {"resource", resource_of(question.verb)},
                                   {"name", question.object},
                                   {"verb", to_string(question.verb)}});
  request.deadline = Request().deadline;  // no page waits for it
  return request;
}

RightAnswer answer_of(const RightQuestion& question, const Response& response) {
  RightAnswer answer{question};
  const std::optional<bool> allowed = allowed_by(response);
  answer.is_allowed = allowed.value_or(false);
  if (!response.ok()) {
    answer.error = response.to_string();
  } else if (!allowed) {
    answer.error = "the answer has no status.allowed";
  }
  return answer;
}

std::optional<TimePoint> created_at(const PlainJson& object) {
  const auto time = parse_time(text_at(object, "/metadata/creationTimestamp"));
  return time ? std::optional(*time) : std::nullopt;
}

// API-29. Only a policy that refuses, and is bound for all.
std::optional<TimePoint> policy_in_force(const PlainJson& policy) {
  const PlainJson& on_failure = value_at(policy, "/spec/failurePolicy");
  return on_failure.is_null() || on_failure == "Fail" ? created_at(policy) : std::nullopt;
}

std::optional<TimePoint> binding_in_force(const PlainJson& binding) {
  const PlainJson& actions = value_at(binding, "/spec/validationActions");
  const bool is_for_all = text_at(binding, "/spec/policyName") == kPolicy &&
                          value_at(binding, "/spec/matchResources").is_null();
  const bool denies =
      actions.is_array() && std::find(actions.begin(), actions.end(), "Deny") != actions.end();
  return is_for_all && denies ? created_at(binding) : std::nullopt;
}

}  // namespace

class AccessReviews::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(RestClient& client, Executor& executor) : client_(client), executor_(executor) {}

  void start(ports::EventSink& sink, bool for_policy) {
    sink_ = &sink;
    if (for_policy) look();
  }

  void ask(const RightQuestion& question) {
    if (sink_ == nullptr || is_stopped_) return;
    client_.send(review_of(question),
                 [self = shared_from_this(), question](const Response& answer) {
                   if (!self->is_stopped_) self->sink_->post(answer_of(question, answer));
                 });
  }

  void stop() { is_stopped_ = true; }

 private:
  // The policy, then its binding.
  void look() {
    get("ies/", [self = shared_from_this()](const PlainJson& policy) {
      const auto since = policy_in_force(policy);
      if (!since) return self->found(std::nullopt);
      self->get("ybindings/", [self, since](const PlainJson& binding) {
        const auto bound = binding_in_force(binding);
        self->found(bound ? std::optional(std::max(*since, *bound)) : std::nullopt);
      });
    });
  }

  template <class Then>
  void get(const char* resource, Then then) {
    Request request;
    request.path = std::string(kPolicies) + resource + kPolicy;
    client_.send(std::move(request), [self = shared_from_this(), then](const Response& response) {
      // A look that fails says nothing about the policy; the last one counts.
      if (is_retryable(response)) return self->look_again();
      then(response.ok() ? read_json(response.body) : PlainJson());
    });
  }

  void found(std::optional<TimePoint> since) {
    if (is_stopped_) return;
    sink_->post(NamingPolicy{since});
    look_again();
  }

  void look_again() {
    if (is_stopped_) return;
    executor_.after(kLookEvery, [self = weak_from_this()] {
      if (const auto there = self.lock(); there && !there->is_stopped_) there->look();
    });
  }

  RestClient& client_;
  Executor& executor_;
  ports::EventSink* sink_ = nullptr;
  std::atomic<bool> is_stopped_ = false;
};

AccessReviews::AccessReviews(RestClient& client, Executor& executor)
    : impl_(std::make_shared<Impl>(client, executor)) {}
AccessReviews::~AccessReviews() { stop(); }
void AccessReviews::start(ports::EventSink& sink, bool for_policy) {
  impl_->start(sink, for_policy);
}
void AccessReviews::ask(const RightQuestion& question) { impl_->ask(question); }
void AccessReviews::stop() { impl_->stop(); }

}  // namespace berth::kubeapi
