#include "kubeapi/review_requests.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

constexpr Duration kReviewDeadline = std::chrono::seconds(5);

Request review(const char* group, const char* resource, const char* kind,
               nlohmann::ordered_json spec) {
  const nlohmann::ordered_json body{
      {"apiVersion", std::string(group) + "/v1"}, {"kind", kind}, {"spec", std::move(spec)}};
  Request request = request_with("POST", std::string("/apis/") + group + "/v1/" + resource, kJson,
                                 json_text(body));
  request.needs_no_term = true;
  request.deadline = kReviewDeadline;
  return request;
}

}  // namespace

Request token_review(const std::string& token) {
  return review("authentication.k8s.io", "tokenreviews", "TokenReview", {{"token", token}});
}

Request access_review(const nlohmann::json& user, const char* about,
                      const nlohmann::ordered_json& attributes) {
  nlohmann::ordered_json spec{{"user", text_at(user, "/username")}, {about, attributes}};
  for (const char* const part : {"uid", "groups", "extra"}) {
    const auto found = user.find(part);
    if (found != user.end() && !found->is_null()) spec[part] = *found;
  }
  return review("authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview",
                std::move(spec));
}

Request self_access_review(const nlohmann::ordered_json& attributes) {
  return review("authorization.k8s.io", "selfsubjectaccessreviews", "SelfSubjectAccessReview",
                {{"resourceAttributes", attributes}});
}

std::optional<bool> allowed_by(const Response& answer) {
  const nlohmann::json body = answer.ok() ? read_json(answer.body) : nlohmann::json();
  const auto* allowed = value_at(body, "/status/allowed").get_ptr<const bool*>();
  return allowed == nullptr ? std::nullopt : std::optional(*allowed);
}

}  // namespace berth::kubeapi
