#include "kubeapi/rest_client.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <stop_token>

#include "berth/base/boot_clock.h"
#include "kubeapi/credentials.h"
#include "kubeapi/line_stream.h"
#include "kubeapi/request_queue.h"
#include "kubeapi/transport.h"

namespace berth::kubeapi {

namespace {

constexpr int kOk = 200;

}  // namespace

class RestClient::Impl {
 public:
  Impl(std::unique_ptr<Transport> transport, const RestOptions& options)
      : transport_(std::move(transport)),
        options_(options),
        queue_(std::make_shared<RequestQueue>(*transport_, options, pulse_)) {
    queue_->start();
  }
  ~Impl() { stop(); }

  RequestQueue& queue() { return *queue_; }
  const Pulse& pulse() const { return pulse_; }
  const ports::Leadership* leadership() const { return options_.leadership; }
  const std::string& server() const { return transport_->server(); }

  Response stream(const Request& request, const std::function<void(std::string_view)>& on_frame,
                  Cancellation& cancel) {
    const auto lines = std::make_shared<LineStream>();
    {
      const std::lock_guard lock(mutex_);
      ++streaming_;
    }
    const std::stop_callback on_cancel(cancel.token(), [&] { lines->interrupt("cancelled"); });
    const std::stop_callback on_stop(stopping_.get_token(),
                                     [&] { lines->interrupt("the client was stopped"); });
    Response response;
    if (cancel.is_cancelled() || stopping_.stop_requested()) {
      response.error = cancel.is_cancelled() ? "cancelled" : "the client was stopped";
    } else {
      const auto exchange = transport_->start(request, Transport::Lane::stream, lines);
      response = lines->read(request, options_, [&](std::string_view frame) {
        pulse_.note(kOk);
        on_frame(frame);
      });
      pulse_.note(response.error.empty() ? response.status : 0);
      const bool is_ours = cancel.is_cancelled() || stopping_.stop_requested();
      if (!response.error.empty() && !is_ours) {
        response.error = transport_->server() + ": " + response.error;
      }
      exchange->cancel();
      lines->close();
      (void)lines->wait_for_end(kEndMax);
    }
    const std::lock_guard lock(mutex_);
    --streaming_;
    ended_.notify_all();
    return response;
  }

  void stop() {
    stopping_.request_stop();
    queue_->stop();
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return streaming_ == 0; });
  }

 private:
  const std::unique_ptr<Transport> transport_;
  const RestOptions options_;
  const BootClock clock_;
  Pulse pulse_{clock_};
  const std::shared_ptr<RequestQueue> queue_;
  std::stop_source stopping_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int streaming_ = 0;
};

Result<std::unique_ptr<RestClient>> RestClient::create(Access access, RestOptions options) {
  auto credentials = Credentials::open(std::move(access));
  if (!credentials) return credentials.error();
  auto transport = Transport::create(*credentials, options.user_agent, options.leadership);
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

void RestClient::end_writes(Duration patience) { impl_->queue().end_writes(patience); }

bool RestClient::may_write(std::uint64_t epoch) const {
  return impl_->leadership() == nullptr || impl_->leadership()->holds(epoch);
}

const Pulse& RestClient::pulse() const { return impl_->pulse(); }

void RestClient::send(Request request, std::function<void(Response)> done) {
  impl_->queue().send(std::move(request), std::move(done));
}

Response RestClient::call(Request request) {
  auto answer = std::make_shared<std::promise<Response>>();
  std::future<Response> coming = answer->get_future();
  send(std::move(request), [answer](Response response) { answer->set_value(std::move(response)); });
  return coming.get();
}

Response RestClient::stream(const Request& request,
                            const std::function<void(std::string_view frame)>& on_frame,
                            Cancellation& cancel) {
  return impl_->stream(request, on_frame, cancel);
}

void RestClient::stop() { impl_->stop(); }

RestCounters RestClient::counters() const { return impl_->queue().counters(); }

const std::string& RestClient::server() const { return impl_->server(); }

}  // namespace berth::kubeapi
