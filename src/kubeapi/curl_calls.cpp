#include "kubeapi/curl_calls.h"

#include <curl/curl.h>

#include <mutex>
#include <utility>
#include <vector>

#include "berth/base/check.h"

namespace berth::kubeapi {

namespace {

// The API server takes 100 or 250 calls at once on a connection, libcurl gives it 100 at most.
// libcurl opens connections for all further calls at once when one is full. Those above this limit
// wait for a call to end.
constexpr long kSharedConnections = 4;
constexpr long kUnlimited = 0;
constexpr long kKeptConnections = 256;  // idle ones
constexpr int kIdleMs = 60'000;         // orders wake the thread earlier

constexpr const char* kStopped = "the client was stopped";

CURLM* new_multi() {
  static const bool is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  CURLM* const multi = is_ready ? curl_multi_init() : nullptr;
  BERTH_CHECK(multi != nullptr);
  return multi;
}

}  // namespace

// Orders from any thread to libcurl's. Exchanges own it, too.
class CurlCalls::Inbox {
 public:
  struct Orders {
    std::vector<std::unique_ptr<CurlCall>> started;
    std::vector<std::uint64_t> cancelled;
    bool is_closed = false;
  };

  explicit Inbox(CURLM* multi) : multi_(multi) {}

  void start(std::unique_ptr<CurlCall> call) {
    std::unique_lock lock(mutex_);
    if (orders_.is_closed) {
      lock.unlock();
      return call->drop(kStopped);
    }
    orders_.started.push_back(std::move(call));
    wake();
  }
  void cancel(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    if (orders_.is_closed) return;
    orders_.cancelled.push_back(id);
    wake();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    orders_.is_closed = true;
    wake();
  }
  Orders take() {
    const std::lock_guard lock(mutex_);
    is_awake_ = false;
    Orders taken = std::move(orders_);
    orders_ = {};
    orders_.is_closed = taken.is_closed;
    return taken;
  }

 private:
  // Once until the orders are taken.
  void wake() {
    if (!std::exchange(is_awake_, true)) curl_multi_wakeup(multi_);
  }

  std::mutex mutex_;
  CURLM* const multi_;  // not used once closed
  bool is_awake_ = false;
  Orders orders_;
};

class CurlCalls::CurlExchange final : public Exchange {
 public:
  CurlExchange(std::shared_ptr<Inbox> inbox, std::uint64_t id)
      : inbox_(std::move(inbox)), id_(id) {}
  void cancel() override { inbox_->cancel(id_); }

 private:
  const std::shared_ptr<Inbox> inbox_;
  const std::uint64_t id_;
};

CurlCalls::CurlCalls(std::shared_ptr<Credentials> credentials, const std::string& user_agent,
                     Connections connections, const ports::Leadership* leadership)
    : server_(std::make_shared<CurlServer>(std::move(credentials), user_agent,
                                           connections == Connections::shared)),
      leadership_(leadership),
      multi_(new_multi()),
      inbox_(std::make_shared<Inbox>(multi_)) {
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING,
                    server_->may_share() ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kKeptConnections);
  limit_connections(server_->may_share() ? kSharedConnections : kUnlimited);
  thread_ = std::thread([this] { run(); });
}

CurlCalls::~CurlCalls() {
  inbox_->close();
  thread_.join();
  curl_multi_cleanup(multi_);
}

std::shared_ptr<Exchange> CurlCalls::start(const Request& request,
                                           std::shared_ptr<AnswerSink> sink) {
  const std::uint64_t id = next_id_++;
  inbox_->start(
      std::make_unique<CurlCall>(id, server_, sockets_, leadership_, request, std::move(sink)));
  return std::make_shared<CurlExchange>(inbox_, id);
}

void CurlCalls::run() {
  while (take_orders()) {
    drop_outdated();
    int running = 0;
    curl_multi_perform(multi_, &running);
    finish_calls();
    curl_multi_poll(multi_, nullptr, 0, kIdleMs, nullptr);
  }
  while (!calls_.empty()) remove(calls_.begin()->first)->drop(kStopped);
}

bool CurlCalls::take_orders() {
  Inbox::Orders orders = inbox_->take();
  for (auto& call : orders.started) add(std::move(call));
  for (const std::uint64_t id : orders.cancelled) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) continue;
    found->second->break_silent_connection();
    remove(id)->drop("cancelled");
  }
  return !orders.is_closed;
}

void CurlCalls::add(std::unique_ptr<CurlCall> call) {
  const CURLMcode code = curl_multi_add_handle(multi_, call->easy());
  if (code != CURLM_OK) return call->drop(curl_multi_strerror(code));
  const std::uint64_t id = call->id();
  calls_.emplace(id, std::move(call));
}

std::unique_ptr<CurlCall> CurlCalls::remove(std::uint64_t id) {
  auto taken = calls_.extract(id);
  if (taken.empty()) return nullptr;
  curl_multi_remove_handle(multi_, taken.mapped()->easy());
  return std::move(taken.mapped());
}

// LEASE-4. A server that does not read leaves bytes of requests with libcurl, which sends them as
// soon as it can. A call whose server has it in part is broken off.
void CurlCalls::drop_outdated() {
  const std::uint64_t epoch = leadership_ == nullptr ? 0 : leadership_->epoch();
  if (std::exchange(epoch_, epoch) == epoch) return;
  for (auto next = calls_.begin(); next != calls_.end();) {
    const auto entry = next++;
    if (entry->second->may_go_on()) continue;
    entry->second->break_silent_connection();
    remove(entry->first)->drop(kTermIsOver);
  }
}

void CurlCalls::finish_calls() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    CurlCall* done = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &done);
    const auto call = remove(done->id());  // `message` ends here
    if (code == CURLE_OK && server_->may_share()) {
      limit_connections(call->uses_http2() ? kSharedConnections : kUnlimited);
    }
    call->finish(code);
  }
}

void CurlCalls::limit_connections(long most) {
  if (std::exchange(limit_, most) == most) return;
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, most);
}

}  // namespace berth::kubeapi
