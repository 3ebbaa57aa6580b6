#include "embedded/extender_calls.h"

#include <mutex>
#include <utility>

namespace berth::embedded {

// The extender answers from any thread.
class ExtenderCalls::Call final : public http::Responder::Exchange,
                                  public std::enable_shared_from_this<Call> {
 public:
  Call(Executor& executor, Link& link, Then then)
      : executor_(&executor), link_(link), then_(std::move(then)) {}

  void answer(http::Response response) override {
    const std::lock_guard lock(mutex_);
    if (executor_ == nullptr) return;
    has_come_ = true;
    executor_->post(
        [self = shared_from_this(), response = std::move(response)] { self->bring(response); });
  }
  void on_disconnect(std::function<void()> callback) override {
    {
      const std::lock_guard lock(mutex_);
      if (executor_ != nullptr) {
        gone_ = std::move(callback);
        return;
      }
    }
    callback();
  }

  // --- on the executor --------------------------------------------------------------------------
  void loses_answer() { is_answer_lost_ = true; }
  bool is_over() const { return then_ == nullptr; }
  // An answer may have come, and its task not have had its turn.
  bool waits() {
    const std::lock_guard lock(mutex_);
    return !is_over() && (!has_come_ || is_answer_lost_);
  }
  void end(const std::string& error, const std::string& body) {
    hang_up();
    if (const Then then = std::exchange(then_, {})) then(error, body);
  }
  void forget() {
    then_ = {};
    hang_up();
  }

 private:
  void bring(const http::Response& response) {
    const std::lock_guard lock(mutex_);
    if (is_answer_lost_ || executor_ == nullptr) return;
    gone_ = {};
    executor_->after(link_.hop() / 4, [self = shared_from_this(), response] {
      const int status = response.status;
      self->end(status == 200 ? "" : "status " + std::to_string(status), response.body);
    });
  }
  void hang_up() {
    {
      const std::lock_guard lock(mutex_);
      executor_ = nullptr;
    }
    if (const auto gone = std::exchange(gone_, {})) gone();
  }

  std::mutex mutex_;
  Executor* executor_;  // null: nobody listens
  Link& link_;
  Then then_;                   // none: it is over
  std::function<void()> gone_;  // to be called when the caller hangs up before the answer
  bool is_answer_lost_ = false;
  bool has_come_ = false;  // an answer; guarded by the mutex
};

ExtenderCalls::~ExtenderCalls() {
  for (const auto& call : calls_) call->forget();
}

void ExtenderCalls::call(const std::string& path, std::string body, Duration timeout, Then then) {
  std::erase_if(calls_, [](const auto& each) { return each->is_over(); });
  auto call = std::make_shared<Call>(executor_, link_, std::move(then));
  calls_.push_back(call);
  executor_.after(timeout, [weak = std::weak_ptr(call)] {
    if (const auto its = weak.lock(); its != nullptr && its->waits()) its->end("timeout", "");
  });
  const Link::Fate fate = link_.fate_of_call();
  if (fate == Link::Fate::lost_request) return;
  if (fate == Link::Fate::lost_answer) call->loses_answer();
  executor_.after(link_.hop() / 4, [this, path, call, body = std::move(body)]() mutable {
    send(path, std::move(body), call);
  });
}

void ExtenderCalls::send(const std::string& path, std::string body,
                         const std::shared_ptr<Call>& call) {
  if (call->is_over()) return;
  http::Request request{.method = "POST", .path = path, .body = std::move(body)};
  request.body.reserve(request.body.size() + http::kBodyPadding);
  request.is_local = true;
  extender_->route(request, http::Responder(call));
}

}  // namespace berth::embedded
