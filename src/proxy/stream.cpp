#include "proxy/stream.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstring>
#include <utility>

#include "proxy/answers.h"
#include "proxy/query.h"

namespace berth::proxy {
namespace {

namespace asio = boost::asio;

// A body up to this size goes upstream in one piece, so that it can be sent again on another
// connection. A longer one goes as it comes.
constexpr std::size_t kWholeMost = 64 << 10;

// With too much queued in all replies, a reply that has queued this much is full.
constexpr std::size_t kFairShare = 64 << 10;

// The answer passes as it is.
class Passing final : public Exchange {
 public:
  Passing(const Request& request, Reply& reply) : is_watch_(is_watch(request)), reply_(reply) {}

  void on_head(int status, Headers headers) override {
    has_head_ = true;
    reply_.head(status, std::move(headers));
  }

  void on_body(std::string_view bytes) override { reply_.body(std::string(bytes)); }
  void on_end() override { reply_.end(); }

  // A watch ends in good order: the client goes on from its last whole event, as it does where an
  // event is cut short. After a reset it would list everything anew.
  void on_failure(const std::string& why) override {
    if (has_head_ && is_watch_) return reply_.end();
    if (has_head_) return reply_.abort();
    send(unreachable_answer(is_watch_, why), reply_);
  }

 private:
  const bool is_watch_;
  Reply& reply_;
  bool has_head_ = false;
};

}  // namespace

Stream::Stream(ProxyState& state, H2Session& session, std::int32_t id)
    : state_(state), session_(session), id_(id), moved_at_(Steady::now()) {
  ++state_.counts.streams_open;
}

Stream::~Stream() { --state_.counts.streams_open; }

void Stream::begin(HeaderBlock block, bool has_body) {
  ++state_.counts.requests;
  content_length_ = block.content_length();
  is_body_over_ = !has_body;
  if (const Refusal refusal = block.finish(request_); refusal.status != 0) {
    ++state_.counts.malformed;
    send(status_answer(refusal.status, refusal.why), *this);
    return;
  }
  is_collecting_ = true;
  reads_body_ = state_.interceptor.reads_body(request_);
  if (!has_body) end_body();
}

std::size_t Stream::collected_most() const { return reads_body_ ? kBodyMost : kWholeMost; }

void Stream::take_body(std::string_view bytes) {
  moved_at_ = Steady::now();
  if (transfer_) {
    transfer_->add_body(bytes);  // consumed when upstream has taken it
    return;
  }
  session_.consume(id_, bytes.size());
  if (!is_collecting_) return;
  if (state_.body_bytes + bytes.size() > state_.options.max_body_bytes) {
    is_collecting_ = false;
    send(status_answer(503, "too many large requests at once"), *this);
    return;
  }
  state_.body_bytes += bytes.size();
  kept_bytes_ += bytes.size();
  collected_ += bytes;
  if (collected_.size() > collected_most()) go_upstream(false);
}

void Stream::end_body() {
  is_body_over_ = true;
  if (transfer_) {
    transfer_->end_body();
    return;
  }
  if (!is_collecting_) return;
  if (reads_body_) {
    if (auto made = state_.interceptor.answer(request_, collected_)) {
      ++state_.counts.answered_locally;
      is_collecting_ = false;
      send(*std::move(made), *this);
      return;
    }
  }
  go_upstream(true);
}

void Stream::go_upstream(bool is_body_whole) {
  is_collecting_ = false;
  if (state_.options.has_token && state_.authorization.empty()) {
    ++state_.counts.upstream_failures;
    send(no_token_answer(is_watch(request_)), *this);
    return;
  }
  if (refuse()) return;
  if (!is_body_whole) already_consumed_ = collected_.size();
  RequestBody body{std::move(collected_), is_body_whole, content_length_};
  exchange_ = state_.interceptor.intercept(request_, *this);
  if (exchange_) ++state_.counts.intercepted;
  if (!exchange_) exchange_ = std::make_unique<Passing>(request_, *this);
  if (is_over_) return;  // answered already
  if (is_watch(request_)) limits_.emplace(request_, state_.options, Steady::now());
  if (has_left_upstream_) return;
  transfer_ = std::make_unique<Transfer>(*state_.upstream, request_, std::move(body), *this);
  if (!transfer_->start()) on_upstream_failure("no memory for a request");
}

// True if the request may not go upstream, and has been answered.
bool Stream::refuse() {
  std::optional<Answer> refusal = state_.interceptor.refusal(request_);
  if (!refusal) return false;
  ++state_.counts.refused;
  send(*std::move(refusal), *this);
  return true;
}

void Stream::head(int status, Headers headers) {
  if (is_over_ || has_head_) return;
  has_head_ = true;
  is_waiting_ = true;  // nothing is there to read yet
  const bool has_body = request_.method != "HEAD" && status != 204 && status != 304;
  if (!has_body) is_end_read_ = true;
  session_.submit_head(id_, status, headers, has_body);
}

void Stream::body(std::string bytes) {
  if (is_over_ || !has_head_ || is_end_read_ || bytes.empty()) return;
  if (queued_ == 0) moved_at_ = Steady::now();
  queued_ += bytes.size();
  state_.queued_bytes += bytes.size();
  queue_.push_back(std::move(bytes));
  is_full();
  if (std::exchange(is_waiting_, false)) session_.resume(id_);
}

void Stream::end() {
  if (is_over_) return;
  if (!has_head_) {
    abort();
    return;
  }
  is_over_ = true;
  is_ended_ = true;
  drop_transfer();
  if (std::exchange(is_waiting_, false)) session_.resume(id_);
}

void Stream::abort() {
  if (!is_over_) cut();
}

void Stream::cut() {
  is_over_ = true;
  is_reset_ = true;
  drop_transfer();
  session_.reset(id_);
}

void Stream::leave_upstream() {
  has_left_upstream_ = true;
  drop_transfer();
}

// The transfer may be calling this very moment, so it is destroyed later.
void Stream::drop_transfer() {
  if (!transfer_) return;
  asio::post(state_.context, [self = shared_from_this()] { self->transfer_.reset(); });
}

std::size_t Stream::read(char* into, std::size_t room, bool& is_end) {
  std::size_t size = 0;
  while (size < room && !queue_.empty()) {
    const std::string& front = queue_.front();
    const std::size_t part = std::min(room - size, front.size() - front_at_);
    std::memcpy(into + size, front.data() + front_at_, part);
    size += part;
    front_at_ += part;
    if (front_at_ == front.size()) {
      queue_.pop_front();
      front_at_ = 0;
    }
  }
  queued_ -= size;
  state_.queued_bytes -= size;
  if (size > 0) moved_at_ = Steady::now();
  if (is_full_ && queued_ < state_.options.empty_at) {
    is_full_ = false;
    if (limits_) limits_->resumed(moved_at_);
    asio::post(state_.context, [self = shared_from_this()] {
      if (self->transfer_) self->transfer_->resume();
      if (self->has_left_upstream_ && !self->is_over_) self->exchange_->on_room();
    });
  }
  is_end = is_ended_ && queue_.empty();
  is_end_read_ = is_end_read_ || is_end;
  is_waiting_ = size == 0 && !is_end;
  return size;
}

bool Stream::is_full() {
  const Options& options = state_.options;
  const bool was_full = is_full_;
  is_full_ = is_full_ || queued_ >= options.full_at ||
             (state_.queued_bytes >= options.max_queued_bytes && queued_ >= kFairShare);
  if (is_full_ && !was_full) ++state_.counts.pauses;
  return is_full_;
}

bool Stream::is_awaiting_body() const {
  return !is_body_over_ && (transfer_ ? transfer_->awaits_body() : is_collecting_);
}

// VIEW-11: a stream whose client stands still is cut.
bool Stream::is_stalled(Steady::time_point now) const {
  return !is_reset_ && (is_full_ || is_awaiting_body()) &&
         now - moved_at_ > state_.options.stall_limit;
}

void Stream::close() {
  is_over_ = true;
  state_.body_bytes -= std::exchange(kept_bytes_, 0);
  state_.queued_bytes -= std::exchange(queued_, 0);
  queue_.clear();
  transfer_.reset();
}

void Stream::settle(bool is_delivered) {
  if (!exchange_) return;
  exchange_->on_closed(is_delivered);
  exchange_.reset();
}

// A server that is frozen may hold its connections for ever, since its kernel still answers. While
// the reply is full, upstream's bytes wait for the client.
void Stream::end_dead_watch(Steady::time_point now) {
  if (is_over_ || is_full_ || !limits_) return;
  if (has_left_upstream_) {
    if (limits_->is_due(now)) exchange_->on_end();
    return;
  }
  if (!transfer_) return;
  const std::string why = limits_->fault(now);
  if (why.empty()) return;
  transfer_.reset();
  ++state_.counts.dead_watches;
  on_upstream_failure(why);
}

void Stream::on_upstream_head(int status, Headers headers) {
  if (limits_) limits_->heard(Steady::now());
  if (!reads_upstream()) return;
  constexpr int kUnauthorized = 401;
  if (status == kUnauthorized && state_.options.has_token) {
    if (state_.options.on_token_refused) state_.options.on_token_refused();
    on_upstream_failure("401, it does not take the token of kube-scheduler's account");
    return;
  }
  exchange_->on_head(status, std::move(headers));
}

void Stream::on_upstream_body(std::string_view bytes) {
  if (limits_) limits_->heard(Steady::now());
  if (reads_upstream()) exchange_->on_body(bytes);
}

void Stream::on_upstream_done() {
  if (!reads_upstream()) return;
  limits_.reset();
  exchange_->on_end();
}

void Stream::on_upstream_failure(const std::string& why) {
  if (!reads_upstream()) return;
  limits_.reset();
  if (!has_head_ && refuse()) return;
  ++state_.counts.upstream_failures;
  exchange_->on_failure(why);
}

void Stream::on_body_taken(std::size_t bytes) {
  const std::size_t before = std::min(already_consumed_, bytes);
  already_consumed_ -= before;
  if (!is_over_ && bytes > before) session_.consume(id_, bytes - before);
}

}  // namespace berth::proxy
