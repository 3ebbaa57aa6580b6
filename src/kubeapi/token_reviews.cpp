#include "kubeapi/token_reviews.h"

#include <openssl/evp.h>

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kubeapi/access.h"
#include "kubeapi/json_text.h"
#include "kubeapi/namespace_reviews.h"
#include "kubeapi/review_requests.h"
#include "kubeapi/token_bucket.h"

namespace berth::kubeapi {

namespace {

using ports::CallerVerdict;

constexpr std::size_t kTokenBytesMost = std::size_t{16} << 10;
constexpr double kReviewsPerSecond = 5;
constexpr int kReviewsAtOnce = 20;
constexpr double kRenewalsPerSecond = 10;
constexpr int kRenewalsAtOnce = 50;

// Tokens themselves are not kept. Empty: it could not be made.
std::string digest_of(const std::string& token) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  if (EVP_Digest(token.data(), token.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
                 EVP_sha256(), nullptr) != 1) {
    return {};
  }
  digest.resize(size);
  return digest;
}

CallerVerdict unanswered(const Response& response) {
  return {503, "the API server could not be asked about the token: " + response.to_string()};
}

}  // namespace

class TokenReviews::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(RestClient& client, const Clock& clock)
      : client_(client), clock_(clock), namespaces_(client, clock) {}

  void ask(const std::string& token, const std::string& path, Done done) {
    const std::string digest = digest_of(token);
    if (token.empty() || token.size() > kTokenBytesMost || !token_error(token).empty() ||
        digest.empty()) {
      return done({401, "the token is none; expected one of a user or a service account"});
    }
    const std::string key = digest + path;
    bool begins = false;
    const CallerVerdict known = known_or_asked(key, begins, done);
    if (done != nullptr) return done(known);
    if (!begins) return;
    client_.send(token_review(token),
                 [self = shared_from_this(), key, path](const Response& response) {
                   self->review_access(key, path, response);
                 });
  }

 private:
  struct Known {
    CallerVerdict verdict;
    TimePoint until;
  };

  // Takes `done` if there is an answer to come; `begins`: nobody has asked for it yet. Otherwise
  // the answer is known.
  CallerVerdict known_or_asked(const std::string& key, bool& begins, Done& done) {
    const std::lock_guard lock(mutex_);
    const TimePoint now = clock_.now();
    const auto known = known_.find(key);
    if (known != known_.end() && now < known->second.until) return known->second.verdict;
    const auto asked = asked_.find(key);
    begins = asked == asked_.end();
    const bool was_good = known != known_.end() && known->second.verdict.status == 200;
    const bool has_room = begins ? may_begin(was_good, now) : asked->second.size() < kWaitingMost;
    if (!has_room) return {503, "too many callers are under review; ask again"};
    asked_[key].push_back(std::exchange(done, nullptr));
    return {};
  }

  // API-39. A flood of tokens that are none does not shut out those that were good a moment ago.
  bool may_begin(bool was_good, TimePoint now) {
    if (was_good) return renewals_.take(now);
    return asked_.size() < kAskedMost && bucket_.take(now);
  }

  // API-38
  void review_access(const std::string& key, const std::string& path, const Response& response) {
    if (!response.ok()) return finish(key, unanswered(response));
    const nlohmann::json body = read_json(response.body);
    const nlohmann::json& user = value_at(body, "/status/user");
    if (value_at(body, "/status/authenticated") != true || text_at(user, "/username").empty()) {
      return finish(key, {401, "the API server does not know the token, or it has expired"});
    }
    client_.send(access_review(user, "nonResourceAttributes", {{"path", path}, {"verb", "get"}}),
                 [self = shared_from_this(), key, path, user](const Response& answer) {
                   if (!answer.ok()) return self->finish(key, unanswered(answer));
                   if (allowed_by(answer) == true) {
                     return self->finish(key, {200, "", self->namespaces_.viewer_of(user)});
                   }
                   const std::string name = text_at(user, "/username");
                   self->finish(key, {403, name + " may not get " + path +
                                               "; expected a ClusterRole with this path in "
                                               "nonResourceURLs and the verb get"});
                 });
  }

  // API-39
  void finish(const std::string& key, const CallerVerdict& verdict) {
    std::vector<Done> waiting;
    {
      const std::lock_guard lock(mutex_);
      const auto asked = asked_.find(key);
      if (asked != asked_.end()) {
        waiting = std::move(asked->second);
        asked_.erase(asked);
      }
      if (verdict.status != 503) keep(key, verdict);
    }
    for (const Done& done : waiting) done(verdict);
  }

  void keep(const std::string& key, const CallerVerdict& verdict) {
    const TimePoint now = clock_.now();
    if (known_.size() >= kKnownMost) {
      std::erase_if(known_, [&](const auto& each) { return each.second.until <= now; });
    }
    if (known_.size() >= kKnownMost) known_.clear();
    known_.insert_or_assign(key, Known{verdict, now + kCounts});
  }

  RestClient& client_;
  const Clock& clock_;
  NamespaceReviews namespaces_;
  std::mutex mutex_;  // guards what follows
  TokenBucket bucket_{kReviewsPerSecond, kReviewsAtOnce};
  TokenBucket renewals_{kRenewalsPerSecond, kRenewalsAtOnce};
  std::map<std::string, Known> known_;  // by the digest of the token, and the path
  std::map<std::string, std::vector<Done>> asked_;
};

TokenReviews::TokenReviews(RestClient& client, const Clock& clock)
    : impl_(std::make_shared<Impl>(client, clock)) {}
TokenReviews::~TokenReviews() = default;
void TokenReviews::ask(const std::string& token, const std::string& path, Done done) {
  impl_->ask(token, path, std::move(done));
}

}  // namespace berth::kubeapi
