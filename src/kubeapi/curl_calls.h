#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "kubeapi/curl_call.h"

namespace berth::kubeapi {

// Unary requests by libcurl's multi interface, on one thread of its own.
class CurlCalls {
 public:
  // shared: calls share a few connections by HTTP/2 where the server offers it.
  // own: each has one to itself, by HTTP/1.1. One that is given up closes it.
  enum class Connections : std::uint8_t { shared, own };

  // `leadership` as in RestOptions.
  CurlCalls(std::shared_ptr<Credentials> credentials, const std::string& user_agent,
            Connections connections, const ports::Leadership* leadership);
  // Ends calls that are under way, with an error.
  ~CurlCalls();
  CurlCalls(const CurlCalls&) = delete;
  CurlCalls& operator=(const CurlCalls&) = delete;

  // Any thread. The exchange may outlive this object. The sink must call `resume` within body().
  std::shared_ptr<Exchange> start(const Request& request, std::shared_ptr<AnswerSink> sink);

 private:
  class Inbox;
  class CurlExchange;

  void run();
  bool take_orders();
  void add(std::unique_ptr<CurlCall> call);
  std::unique_ptr<CurlCall> remove(std::uint64_t id);  // null: it is over
  void finish_calls();
  void drop_outdated();
  void limit_connections(long most);  // 0: no limit

  const std::shared_ptr<const CurlServer> server_;
  const ports::Leadership* const leadership_;
  void* const multi_;  // CURLM*
  const std::shared_ptr<Inbox> inbox_;
  std::atomic<std::uint64_t> next_id_ = 1;
  // Of the thread:
  CurlSockets sockets_;
  std::map<std::uint64_t, std::unique_ptr<CurlCall>> calls_;
  long limit_ = -1;
  std::uint64_t epoch_ = 0;  // that held at the last look
  std::thread thread_;
};

}  // namespace berth::kubeapi
