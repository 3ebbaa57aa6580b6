#include "kubeapi/account_token.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "berth/base/thread_name.h"
#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kDeadline = std::chrono::seconds(10);  // of one request

}  // namespace

// All that other threads touch.
struct AccountToken::Shared {
  mutable std::mutex mutex;
  std::condition_variable changed;
  bool is_stopping = false;
  bool is_refused = false;
  std::optional<Response> answer;
  std::string fault = "no token has been asked for yet";
  Counters counters;
};

AccountToken::AccountToken(RestClient& client, AccountTokenOptions options, Callbacks callbacks)
    : client_(client),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      shared_(std::make_shared<Shared>()),
      backoff_(options_.retry_least, options_.retry_most, 0),
      due_(Steady::now()) {}

AccountToken::~AccountToken() { stop(); }

void AccountToken::start() {
  thread_ = std::thread([this] { run(); });
}

void AccountToken::stop() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->is_stopping = true;
    shared_->changed.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void AccountToken::refused() {
  const std::lock_guard lock(shared_->mutex);
  shared_->is_refused = true;
  shared_->changed.notify_all();
}

std::string AccountToken::fault() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->fault;
}

AccountToken::Counters AccountToken::counters() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->counters;
}

void AccountToken::run() {
  name_thread("token");
  std::unique_lock lock(shared_->mutex);
  const auto is_awake = [this] {
    return shared_->is_stopping || shared_->is_refused || shared_->answer.has_value();
  };
  while (!shared_->is_stopping) {
    if (step(lock)) continue;
    auto until = Steady::time_point::max();
    if (!is_asking_) until = due_;
    if (valid_until_) until = std::min(until, *valid_until_);
    if (until == Steady::time_point::max()) {
      shared_->changed.wait(lock, is_awake);
    } else {
      shared_->changed.wait_until(lock, until, is_awake);
    }
  }
}

// One thing that is to be done now. False: there is none.
bool AccountToken::step(std::unique_lock<std::mutex>& lock) {
  const auto now = Steady::now();
  if (std::exchange(shared_->is_refused, false)) {
    const auto soonest = std::max(now, issued_at_ + options_.refusal_pause);
    if (!valid_until_) return true;
    due_ = std::min(due_, soonest);
    shared_->fault = "the API server does not take the token of the service account " + account();
    return true;
  }
  if (auto answer = std::exchange(shared_->answer, std::nullopt)) {
    take(lock, *answer);
    return true;
  }
  if (valid_until_ && now >= *valid_until_) {
    expire(lock);
    return true;
  }
  if (!is_asking_ && now >= due_) {
    ask(lock);
    return true;
  }
  return false;
}

// VIEW-13
void AccountToken::ask(std::unique_lock<std::mutex>& lock) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.lifetime).count();
  Request request;
  request.method = "POST";
  request.needs_no_term = true;
  request.path = "/api/v1/namespaces/" + url_encoded(options_.name_space) + "/serviceaccounts/" +
                 url_encoded(options_.name) + "/token";
  request.content_type = "application/json";
  request.body = json_text(Json{{"apiVersion", "authentication.k8s.io/v1"},
                                {"kind", "TokenRequest"},
                                {"spec", {{"expirationSeconds", seconds}}}});
  request.deadline = kDeadline;
  request.urgent = true;
  is_asking_ = true;
  asked_at_ = Steady::now();
  lock.unlock();
  client_.send(std::move(request), [shared = shared_](Response response) {
    const std::lock_guard answering(shared->mutex);
    shared->answer = std::move(response);
    shared->changed.notify_all();
  });
  lock.lock();
}

// The lifetime counts from our request on, by our clock: the server's may differ.
Result<AccountToken::Got> AccountToken::read(const Response& response) {
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

void AccountToken::take(std::unique_lock<std::mutex>& lock, const Response& response) {
  is_asking_ = false;
  const auto got = read(response);
  if (!got) return fail(lock, got.error().to_string());
  const bool is_news = !shared_->fault.empty() || !complaint_.empty();
  ++shared_->counters.tokens;
  shared_->fault.clear();
  complaint_.clear();
  backoff_.reset();
  issued_at_ = asked_at_;
  valid_until_ = asked_at_ + got->lifetime;
  due_ = asked_at_ + got->lifetime * 4 / 5;
  lock.unlock();
  if (is_news) callbacks_.log("requests of the view go on as " + account());
  callbacks_.use(got->token);
  lock.lock();
}

void AccountToken::fail(std::unique_lock<std::mutex>& lock, const std::string& why) {
  ++shared_->counters.failures;
  due_ = Steady::now() + backoff_.next();
  const std::string line = "no token of the service account " + account() + ": " + why;
  if (!valid_until_) shared_->fault = line;
  if (std::exchange(complaint_, line) == line) return;
  lock.unlock();
  callbacks_.complain(line);
  lock.lock();
}

void AccountToken::expire(std::unique_lock<std::mutex>& lock) {
  valid_until_.reset();
  shared_->fault = "the token of the service account " + account() + " has expired";
  lock.unlock();
  callbacks_.complain(shared_->fault);
  callbacks_.use("");
  lock.lock();
}

}  // namespace berth::kubeapi
