#include "kubeapi/transport.h"

#include <mutex>
#include <utility>
#include <vector>

#include "kubeapi/calls.h"
#include "kubeapi/stream.h"

namespace berth::kubeapi {

namespace {

// The handles of streams that have ended, each with its connection, for those that begin.
class StreamHandles {
 public:
  StreamHandles() = default;
  ~StreamHandles() {
    for (CURLM* const multi : idle_) curl_multi_cleanup(multi);
  }
  StreamHandles(const StreamHandles&) = delete;
  StreamHandles& operator=(const StreamHandles&) = delete;

  CURLM* take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return curl::new_multi();
    CURLM* const multi = idle_.back();
    idle_.pop_back();
    return multi;
  }
  void give_back(CURLM* multi) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(multi);
  }

 private:
  std::mutex mutex_;
  std::vector<CURLM*> idle_;
};

class CurlTransport final : public Transport {
 public:
  explicit CurlTransport(ApiServer api) : api_(std::move(api)) {}

  const std::string& server() const override { return api_.server->authority(); }

  void start(std::uint64_t id, const Request& request, Done done) override {
    (request.urgent ? urgent_calls_ : calls_).start(id, request, std::move(done));
  }

  void cancel(std::uint64_t id, const std::string& why) override {
    calls_.cancel(id, why);
    urgent_calls_.cancel(id, why);
  }

  Response stream(const Request& request, const OnBytes& on_bytes, std::stop_token stop) override {
    CURLM* const multi = handles_.take();
    Response response = Stream(api_, request, on_bytes, std::move(stop)).run(multi);
    handles_.give_back(multi);
    return response;
  }

 private:
  const ApiServer api_;
  StreamHandles handles_;
  // API-2, API-10: each of these has connections of its own.
  Calls calls_{api_, curl::Connections::shared};
  Calls urgent_calls_{api_, curl::Connections::own};
};

}  // namespace

void prepare_process() {
  static std::once_flag once;
  std::call_once(once, [] {
    curl::hide_system_authorities();
    curl_global_init(CURL_GLOBAL_DEFAULT);
  });
}

Result<std::unique_ptr<Transport>> Transport::create(std::shared_ptr<Credentials> credentials,
                                                     const RestOptions& options) {
  prepare_process();
  const Access& access = credentials->access();
  curl::ServerOptions server;
  server.address = access.server;
  server.certificate_name = access.tls_server_name;
  server.insecure = access.insecure;
  server.has_own_ca = access.ca.is_given();
  server.material = [credentials]() -> Result<curl::TlsMaterial> { return credentials->tls(); };
  auto made = curl::Server::create(std::move(server));
  if (!made) return made.error();
  return std::unique_ptr<Transport>(
      new CurlTransport(ApiServer{std::move(made).value(), std::move(credentials), options}));
}

}  // namespace berth::kubeapi
