#include "kubeapi/rest_client.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>

#include "berth/base/boot_clock.h"
#include "berth/base/thread_executor.h"
#include "kubeapi/credentials.h"
#include "kubeapi/line_splitter.h"
#include "kubeapi/request_queue.h"
#include "kubeapi/transport.h"
#include "protobuf/frames.h"

namespace berth::kubeapi {

namespace {

constexpr int kOk = 200;

}  // namespace

class RestClient::Impl {
 public:
  Impl(std::unique_ptr<Transport> transport, const RestOptions& options)
      : transport_(std::move(transport)),
        options_(options),
        queue_(executor_, *transport_, options, pulse_) {}
  ~Impl() {
    stop();
    executor_.run([] {});  // a request that came after the stop has its answer
    executor_.stop();
  }

  using Ticket = std::shared_ptr<std::uint64_t>;  // of the executor

  // `ticket` may be null.
  void send(Request request, RequestQueue::Done done, Ticket ticket = nullptr) {
    if (stopping_.stop_requested()) {
      if (done) done({.error = RequestQueue::kStopped});
      return;
    }
    executor_.post([this, ticket = std::move(ticket), request = std::move(request),
                    done = std::move(done)]() mutable {
      const std::uint64_t number = queue_.send(std::move(request), std::move(done));
      if (ticket) *ticket = number;
    });
  }
  void give_up(const Ticket& ticket) {
    executor_.post([this, ticket] { queue_.give_up(*ticket); });
  }
  void end_writes(Duration patience) {
    until_called([&](auto ended) { queue_.end_writes(patience, std::move(ended)); });
  }
  RestCounters counters() {
    RestCounters counters;
    executor_.run([&] { counters = queue_.counters(); });
    return counters;
  }
  const Pulse& pulse() const { return pulse_; }
  const ports::Leadership* leadership() const { return options_.leadership; }
  const std::string& server() const { return transport_->server(); }

  Response stream(const Request& request, const std::function<void(std::string_view)>& on_frame,
                  const std::stop_token& cancel) {
    {
      const std::lock_guard lock(mutex_);
      ++streaming_;
    }
    std::stop_source ended;
    const auto end = [&ended] { ended.request_stop(); };
    const std::stop_callback on_cancel(cancel, end);
    const std::stop_callback on_stop(stopping_.get_token(), end);
    Response response;
    if (!ended.stop_requested()) {
      response = read(request, on_frame, ended.get_token());
      pulse_.note(response.error.empty() ? response.status : 0);
      if (!response.error.empty()) response.error = transport_->server() + ": " + response.error;
    }
    if (ended.stop_requested() && (!response.error.empty() || response.status == 0)) {
      response.error = cancel.stop_requested() ? "cancelled" : RequestQueue::kStopped;
    }
    const std::lock_guard lock(mutex_);
    --streaming_;
    ended_.notify_all();
    return response;
  }

  void stop() {
    stopping_.request_stop();
    until_called([&](auto ended) { queue_.stop(std::move(ended)); });
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return streaming_ == 0; });
  }

 private:
  // Carries out on the executor what calls back, and waits for that.
  void until_called(const std::function<void(std::function<void()>)>& what) {
    const auto called = std::make_shared<std::promise<void>>();
    executor_.post([&what, called] { what([called] { called->set_value(); }); });
    called->get_future().wait();
  }

  Response read(const Request& request, const std::function<void(std::string_view)>& on_frame,
                std::stop_token stop) {
    const auto on_whole = [&](std::string_view frame) -> Status {
      pulse_.note(kOk);
      on_frame(frame);
      return Done{};
    };
    if (request.format == Format::json) {
      LineSplitter lines(options_.line_max);
      const auto cut = [&](std::string_view bytes) -> Status {
        if (lines.feed(bytes, on_whole)) return Done{};
        return Error{"a line of more than " + std::to_string(options_.line_max) + " bytes", ""};
      };
      return transport_->stream(request, cut, std::move(stop));
    }
    protobuf::Frames frames(options_.line_max);
    const auto cut = [&](std::string_view bytes) { return frames.take(bytes, on_whole); };
    return transport_->stream(request, cut, std::move(stop));
  }

  const std::unique_ptr<Transport> transport_;
  const RestOptions options_;
  const BootClock clock_;
  Pulse pulse_{clock_};
  const ScaledClock queue_clock_{TimePoint()};
  ThreadExecutor executor_{queue_clock_, "requests"};
  RequestQueue queue_;
  std::stop_source stopping_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int streaming_ = 0;
};

Result<std::unique_ptr<RestClient>> RestClient::create(Access access, RestOptions options) {
  auto credentials = Credentials::open(std::move(access));
  if (!credentials) return credentials.error();
  auto transport = Transport::create(*credentials, options);
  if (!transport) return transport.error();
  return over(std::move(transport).value(), std::move(options));
}

std::unique_ptr<RestClient> RestClient::over(std::unique_ptr<Transport> transport,
                                             RestOptions options) {
  auto impl = std::make_unique<Impl>(std::move(transport), options);
  return std::unique_ptr<RestClient>(new RestClient(std::move(impl)));
}

RestClient::RestClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

RestClient::~RestClient() = default;

void RestClient::end_writes(Duration patience) { impl_->end_writes(patience); }

bool RestClient::may_write(std::uint64_t epoch) const {
  return impl_->leadership() == nullptr || impl_->leadership()->holds(epoch);
}

const Pulse& RestClient::pulse() const { return impl_->pulse(); }

void RestClient::send(Request request, std::function<void(Response)> done) {
  impl_->send(std::move(request), std::move(done));
}

Response RestClient::call(Request request, const std::stop_token& stop) {
  struct Answer {
    std::mutex mutex;
    std::condition_variable_any came;
    std::optional<Response> response;
  };
  auto answer = std::make_shared<Answer>();
  const auto ticket = std::make_shared<std::uint64_t>(0);
  const auto done = [answer](Response response) {
    const std::lock_guard lock(answer->mutex);
    answer->response = std::move(response);
    answer->came.notify_all();
  };
  impl_->send(std::move(request), done, ticket);
  std::unique_lock lock(answer->mutex);
  answer->came.wait(lock, stop, [&] { return answer->response.has_value(); });
  if (!answer->response) impl_->give_up(ticket);
  return std::move(answer->response).value_or(Response());
}

Response RestClient::stream(const Request& request,
                            const std::function<void(std::string_view frame)>& on_frame,
                            const std::stop_token& cancel) {
  return impl_->stream(request, on_frame, cancel);
}

void RestClient::stop() { impl_->stop(); }

RestCounters RestClient::counters() const { return impl_->counters(); }

const std::string& RestClient::server() const { return impl_->server(); }

}  // namespace berth::kubeapi
