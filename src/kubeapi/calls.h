#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "curl/pool.h"
#include "kubeapi/api_transfer.h"
#include "kubeapi/transport.h"

namespace berth::kubeapi {

// Unary requests, on one thread of its own.
class Calls {
 public:
  Calls(const ApiServer& api, curl::Connections connections);
  // Ends calls that are under way, with an error.
  ~Calls();
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // Any thread.
  void start(std::uint64_t id, const Request& request, Transport::Done done);
  void cancel(std::uint64_t id, const std::string& why);

 private:
  class Call;

  void add(std::unique_ptr<Call> call);
  void drop(std::uint64_t id, const std::string& why);
  void drop_outdated();
  void finish(std::uint64_t id, CURLcode code);

  const ApiServer& api_;
  const bool may_share_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  // Of the thread:
  std::unique_ptr<curl::Pool> pool_;  // null: stopped
  std::map<std::uint64_t, std::unique_ptr<Call>> calls_;
  std::uint64_t epoch_ = 0;  // that held at the last look
  std::thread thread_;
};

}  // namespace berth::kubeapi
