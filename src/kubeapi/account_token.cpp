#include "kubeapi/account_token.h"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "kubeapi/backoff.h"
#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kTokenDeadline = std::chrono::seconds(10);  // of one request

struct Got {
  std::string token;
  Duration lifetime{0};
};

// The lifetime counts from our request on, by our clock: the server's may differ.
Result<Got> read_token(const Response& response) {
  if (!response.ok()) return Error{response.to_string(), ""};
  const nlohmann::json json = read_json(response.body);
  if (!json.is_object()) return Error{"the answer is no object, expected a TokenRequest", "body"};
  Got got;
  got.token = text_at(json, "/status/token");
  if (got.token.empty()) return Error{"the answer has no token", "status.token"};
  if (std::string flaw = token_error(got.token); !flaw.empty()) {
    return Error{std::move(flaw), "status.token"};
  }
  const std::int64_t seconds = integer_at(json, "/spec/expirationSeconds");
  if (seconds < 1) {
    return Error{"expected the token's lifetime in seconds", "spec.expirationSeconds"};
  }
  constexpr std::int64_t kMost = 10L * 365 * 86'400;  // no overflow
  got.lifetime = std::chrono::seconds(std::min(seconds, kMost));
  return got;
}

}  // namespace

class AccountToken::Machine : public std::enable_shared_from_this<Machine> {
 public:
  Machine(RestClient& client, Executor& executor, AccountTokenOptions options, Callbacks callbacks)
      : client_(client),
        executor_(executor),
        options_(std::move(options)),
        callbacks_(std::move(callbacks)),
        backoff_(options_.retry_least, options_.retry_most, 0) {}

  void start() {
    const std::lock_guard lock(mutex_);
    ask_after({});
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  void refused() {
    const std::lock_guard lock(mutex_);
    if (!valid_until_ || is_asking_) return;
    fault_ = "the API server does not take the token of the service account " + account();
    ask_after(std::max(Duration(), issued_at_ + options_.refusal_pause - executor_.now()));
  }
  std::string fault() const {
    const std::lock_guard lock(mutex_);
    return fault_;
  }
  Counters counters() const {
    const std::lock_guard lock(mutex_);
    return counters_;
  }

 private:
  void ask_after(Duration delay) {
    executor_.after(delay, [self = shared_from_this(), number = ++asked_] { self->ask(number); });
  }

  // VIEW-13. A later question takes the place of this one.
  void ask(std::uint64_t number) {
    {
      const std::lock_guard lock(mutex_);
      if (is_stopped_ || is_asking_ || number != asked_) return;
      is_asking_ = true;
      asked_at_ = executor_.now();
    }
    client_.send(request(),
                 [self = shared_from_this()](const Response& response) { self->take(response); });
  }

  Request request() const {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(options_.lifetime).count();
    const Json body{{"apiVersion", "authentication.k8s.io/v1"},
                    {"kind", "TokenRequest"},
                    {"spec", {{"expirationSeconds", seconds}}}};
    Request request = request_with("POST",
                                   "/api/v1/namespaces/" + url_encoded(options_.name_space) +
                                       "/serviceaccounts/" + url_encoded(options_.name) + "/token",
                                   kJson, json_text(body));
    request.needs_no_term = true;
    request.deadline = kTokenDeadline;
    request.urgent = true;
    return request;
  }

  void take(const Response& response) {
    const std::lock_guard lock(mutex_);
    is_asking_ = false;
    if (is_stopped_) return;
    const auto got = read_token(response);
    if (!got) return fail(got.error().to_string());
    const bool is_news = !fault_.empty() || !complaint_.empty();
    ++counters_.tokens;
    fault_.clear();
    complaint_.clear();
    backoff_.reset();
    issued_at_ = asked_at_;
    valid_until_ = asked_at_ + got->lifetime;
    const Duration passed = executor_.now() - asked_at_;
    ask_after(got->lifetime * 4 / 5 - passed);
    executor_.after(got->lifetime - passed, [self = shared_from_this()] { self->expire(); });
    if (is_news) callbacks_.log("requests of the view go on as " + account());
    callbacks_.use(got->token);
  }

  void fail(const std::string& why) {
    ++counters_.failures;
    ask_after(backoff_.next());
    const std::string line = "no token of the service account " + account() + ": " + why;
    if (!valid_until_) fault_ = line;
    if (std::exchange(complaint_, line) != line) callbacks_.complain(line);
  }

  void expire() {
    const std::lock_guard lock(mutex_);
    if (is_stopped_ || !valid_until_ || executor_.now() < *valid_until_) return;
    valid_until_.reset();
    fault_ = "the token of the service account " + account() + " has expired";
    callbacks_.complain(fault_);
    callbacks_.use("");
  }

  std::string account() const { return options_.name_space + "/" + options_.name; }

  RestClient& client_;
  Executor& executor_;
  const AccountTokenOptions options_;
  const Callbacks callbacks_;

  mutable std::mutex mutex_;  // guards all below
  Backoff backoff_;
  TimePoint asked_at_;
  TimePoint issued_at_;
  std::optional<TimePoint> valid_until_;  // none: no valid token
  std::uint64_t asked_ = 0;               // how often a question was planned
  bool is_asking_ = false;
  bool is_stopped_ = false;
  std::string complaint_;  // the last, while it lasts
  std::string fault_ = "no token has been asked for yet";
  Counters counters_;
};

AccountToken::AccountToken(RestClient& client, Executor& executor, AccountTokenOptions options,
                           Callbacks callbacks)
    : machine_(
          std::make_shared<Machine>(client, executor, std::move(options), std::move(callbacks))) {}

AccountToken::~AccountToken() { stop(); }

void AccountToken::start() { machine_->start(); }

void AccountToken::stop() { machine_->stop(); }

void AccountToken::refused() { machine_->refused(); }

std::string AccountToken::fault() const { return machine_->fault(); }

AccountToken::Counters AccountToken::counters() const { return machine_->counters(); }

}  // namespace berth::kubeapi
