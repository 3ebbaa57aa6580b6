#include "kubeapi/calls.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "berth/base/text.h"
#include "berth/base/thread_name.h"

namespace berth::kubeapi {

namespace {

namespace asio = boost::asio;

// The API server takes 100 or 250 calls at once on a connection, libcurl gives it 100 at most.
// libcurl opens connections for all further calls at once when one is full. Those above this limit
// wait for a call to end.
constexpr std::size_t kSharedConnections = 4;
constexpr std::size_t kUnlimited = 0;

constexpr const char* kStopped = "the client was stopped";

}  // namespace

class Calls::Call final : public ApiTransfer {
 public:
  Call(Calls& calls, std::uint64_t id, const Request& request, Transport::Done done)
      : ApiTransfer(calls.api_, request,
                    calls.may_share_ ? curl::Connections::shared : curl::Connections::own),
        calls_(calls),
        id_(id),
        done_(std::move(done)),
        term_(needs_term(request)
                  ? std::optional(ports::Term(calls.api_.options.leadership, request.epoch))
                  : std::nullopt) {}

  std::uint64_t id() const { return id_; }
  asio::steady_timer& deadline() { return deadline_; }
  std::string lateness() const { return "no answer within " + format_duration(request_.deadline); }
  // LEASE-4
  bool may_go_on() const { return !term_ || term_->holds(); }
  void end(CURLcode code) { done_(answer(failure(code))); }
  void drop(const std::string& why) { done_(answer(why)); }
  // The connection is broken if it is shared and has brought no answer since the call began.
  void give_up_connection() const {
    if (calls_.may_share_ && !has_head()) calls_.pool_->break_if_silent(*this, began_);
  }

  void on_done(CURLcode code) override { calls_.finish(id_, code); }

 private:
  void on_head(int status, curl::Headers headers) override {
    if (calls_.may_share_) calls_.pool_->note_answer(*this);
    ApiTransfer::on_head(status, std::move(headers));
  }
  Taken on_body(std::string_view bytes) override { return keep(bytes); }
  bool may_be_sent() override {
    if (!may_go_on()) set_failure(kTermIsOver);
    return may_go_on();
  }

  Calls& calls_;
  const std::uint64_t id_;
  const Transport::Done done_;
  const std::optional<ports::Term> term_;  // that it needs
  const curl::Pool::Time began_ = std::chrono::steady_clock::now();
  asio::steady_timer deadline_{calls_.context_, began_ + request_.deadline};
};

Calls::Calls(const ApiServer& api, curl::Connections connections)
    : api_(api),
      may_share_(connections == curl::Connections::shared && api.server->is_tls()),
      guard_(asio::make_work_guard(context_)) {
  curl::PoolOptions options;
  options.connections = may_share_ ? curl::Connections::shared : curl::Connections::own;
  options.most_connections = may_share_ ? kSharedConnections : kUnlimited;
  options.before_step = [this] { drop_outdated(); };
  pool_ = std::make_unique<curl::Pool>(context_, std::move(options));
  thread_ = std::thread([this] {
    name_thread("calls");
    context_.run();
  });
}

Calls::~Calls() {
  asio::post(context_, [this] {
    while (!calls_.empty()) drop(calls_.begin()->first, kStopped);
    pool_.reset();
    guard_.reset();
  });
  thread_.join();
}

void Calls::start(std::uint64_t id, const Request& request, Transport::Done done) {
  asio::post(context_,
             [this, call = std::make_unique<Call>(*this, id, request, std::move(done))]() mutable {
               add(std::move(call));
             });
}

void Calls::add(std::unique_ptr<Call> call) {
  if (!pool_) return call->drop(kStopped);
  if (!pool_->add(*call)) return call->drop("no memory for a request");
  const std::uint64_t id = call->id();
  // API-11: the caller gets an answer at the deadline, even if the connection is slow to close.
  call->deadline().async_wait([this, id, why = call->lateness()](boost::system::error_code error) {
    if (!error) drop(id, why);
  });
  calls_.emplace(id, std::move(call));
}

void Calls::cancel(std::uint64_t id, const std::string& why) {
  asio::post(context_, [this, id, why] { drop(id, why); });
}

void Calls::drop(std::uint64_t id, const std::string& why) {
  const auto taken = calls_.extract(id);
  if (taken.empty()) return;
  taken.mapped()->give_up_connection();
  pool_->remove(*taken.mapped());
  taken.mapped()->drop(why);
}

// LEASE-4. A server that does not read leaves bytes of requests with libcurl, which sends them as
// soon as it can. A call whose server has it in part is broken off.
void Calls::drop_outdated() {
  const ports::Leadership* const leadership = api_.options.leadership;
  const std::uint64_t epoch = leadership == nullptr ? 0 : leadership->epoch();
  if (std::exchange(epoch_, epoch) == epoch) return;
  for (auto next = calls_.begin(); next != calls_.end();) {
    const auto entry = next++;
    if (!entry->second->may_go_on()) drop(entry->first, kTermIsOver);
  }
}

void Calls::finish(std::uint64_t id, CURLcode code) {
  const auto taken = calls_.extract(id);
  if (code == CURLE_OK && may_share_) {
    pool_->limit_connections(taken.mapped()->uses_http2() ? kSharedConnections : kUnlimited);
  }
  taken.mapped()->end(code);
}

}  // namespace berth::kubeapi
