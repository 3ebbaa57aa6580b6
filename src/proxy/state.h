#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "proxy/proxy.h"

namespace berth::proxy {

using Steady = std::chrono::steady_clock;

class UpstreamClient;

// State that all connections of one proxy share. All but the counts belongs to the proxy's thread.
struct ProxyState {
  ProxyState(Options options_in, Interceptor& interceptor_in)
      : options(std::move(options_in)), interceptor(interceptor_in) {}

  void notice(const std::string& message) const {
    if (options.on_notice) options.on_notice(message);
  }

  const Options options;
  Interceptor& interceptor;
  Counts counts;  // outlives what the context holds
  boost::asio::io_context context{1};
  UpstreamClient* upstream = nullptr;
  std::string authorization;     // the line of the header; empty: there is no token
  std::size_t body_bytes = 0;    // of requests that are read whole
  std::size_t queued_bytes = 0;  // of replies
};

}  // namespace berth::proxy
